package observe

import (
	"github.com/beamrd/beamrd/vm/dist"
	"github.com/beamrd/beamrd/vm/port"
)

// States of a connection in erlang_vm_dist_node_state.
const (
	statePending = 1
	stateUp      = 3
)

// distFigures are those of prometheus_vm_dist_collector about connections, the
// sockets and the ports under them; the label is the other node's name. What a
// connection that is carried by a process (over TLS) has no figures for is
// left out.
func distFigures() []figure {
	link := func(name, help string, f func(l *dist.Link) float64) figure {
		return figure{name, help, gauge, []string{"peer"}, func(e emit) {
			for _, l := range dist.Links() {
				e(f(&l), l.Name.Atom().String())
			}
		}}
	}
	sock := func(name, help string, f func(s *port.PacketStats) float64) figure {
		return figure{name, help, gauge, []string{"peer"}, func(e emit) {
			eachPort(func(peer string, p *port.Port) {
				if s, ok := p.Packets(); ok {
					e(f(&s), peer)
				}
			})
		}}
	}
	carrier := func(name, help string, f func(i *port.Info) float64) figure {
		return figure{name, help, gauge, []string{"peer"}, func(e emit) {
			eachPort(func(peer string, p *port.Port) {
				if i := p.Info(); i != nil {
					e(f(i), peer)
				}
			})
		}}
	}
	type s = port.PacketStats
	return []figure{
		sock("recv_bytes", "Bytes received by the socket.", func(s *s) float64 { return float64(s.RecvBytes) }),
		sock("recv_cnt", "Packets received by the socket.", func(s *s) float64 { return float64(s.RecvCount) }),
		sock("recv_max_bytes", "Bytes of the largest packet received by the socket.", func(s *s) float64 { return float64(s.RecvMax) }),
		sock("recv_avg_bytes", "Average bytes of the packets received by the socket.", func(s *s) float64 { return s.RecvAvg }),
		sock("recv_dvi_bytes", "Average deviation of the packets received by the socket, in bytes.", func(s *s) float64 { return s.RecvDeviation }),
		sock("send_bytes", "Bytes sent from the socket.", func(s *s) float64 { return float64(s.SendBytes) }),
		sock("send_cnt", "Packets sent from the socket.", func(s *s) float64 { return float64(s.SendCount) }),
		sock("send_max_bytes", "Bytes of the largest packet sent from the socket.", func(s *s) float64 { return float64(s.SendMax) }),
		sock("send_avg_bytes", "Average bytes of the packets sent from the socket.", func(s *s) float64 { return s.SendAvg }),
		sock("send_pend_bytes", "Bytes that wait to be sent by the socket.", func(s *s) float64 { return float64(s.SendPending) }),
		carrier("port_input_bytes", "Bytes read from the port.", func(i *port.Info) float64 { return float64(i.In) }),
		carrier("port_output_bytes", "Bytes written to the port.", func(i *port.Info) float64 { return float64(i.Out) }),
		carrier("port_memory_bytes", "Bytes allocated for the port.", func(i *port.Info) float64 { return float64(i.Memory) }),
		carrier("port_queue_size_bytes", "Bytes in the port's queue.", func(i *port.Info) float64 { return float64(i.Queue) }),
		link("node_state", "The state of the connection: pending=1, up_pending=2, up=3.", func(l *dist.Link) float64 {
			if l.Up {
				return stateUp
			}
			return statePending
		}),
		link("node_queue_size_bytes", "Bytes in the queue between the processes and the port.", func(l *dist.Link) float64 { return float64(l.Queued) }),
	}
}

// eachPort calls f for the connections that a port carries.
func eachPort(f func(peer string, p *port.Port)) {
	for _, l := range dist.Links() {
		if !l.Up {
			continue
		}
		if p := port.Lookup(l.Ctrl); p != nil {
			f(l.Name.Atom().String(), p)
		}
	}
}
