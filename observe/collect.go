package observe

import (
	"github.com/prometheus/client_golang/prometheus"
)

// emit gives one value of a figure, with the values of its labels.
type emit func(v float64, labels ...string)

// figure is a row of the tables of figures: read gives its values at a scrape.
type figure struct {
	name, help string
	kind       prometheus.ValueType
	labels     []string
	read       func(emit)
}

const (
	gauge   = prometheus.GaugeValue
	counter = prometheus.CounterValue
)

// value is a figure with one value and no labels.
func value[N int | int64 | uint64 | float64](f func() N) func(emit) {
	return func(e emit) { e(float64(f())) }
}

// collector is a table of figures.
type collector struct {
	figures []figure
	descs   []*prometheus.Desc
}

func newCollector(prefix string, figures []figure) *collector {
	c := &collector{figures: figures}
	for _, f := range figures {
		c.descs = append(c.descs, prometheus.NewDesc(prefix+f.name, f.help, f.labels, nil))
	}
	return c
}

// Describe lists the figures.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		ch <- d
	}
}

// Collect reads them.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	for i, f := range c.figures {
		f.read(func(v float64, labels ...string) {
			m, err := prometheus.NewConstMetric(c.descs[i], f.kind, v, labels...)
			if err != nil {
				m = prometheus.NewInvalidMetric(c.descs[i], err)
			}
			ch <- m
		})
	}
}

// vmCollectors are the collectors of the node's own figures.
func vmCollectors(version string) []prometheus.Collector {
	return []prometheus.Collector{
		newCollector("erlang_vm_memory_", memoryFigures()),
		newCollector("erlang_vm_statistics_", statisticsFigures()),
		newCollector("erlang_vm_", systemFigures()),
		newCollector("erlang_vm_dist_", distFigures()),
		newCollector("beamrd_", ownFigures(version)),
	}
}
