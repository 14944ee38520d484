// Package top shows what a node does, like top(1): the busiest processes or
// ports, the schedulers, and memory, live on a terminal or once as text or JSON.
//
// It asks the node, any Erlang node, to evaluate one expression for each
// sample; see gather. The measuring of the schedulers is the waiting between
// samples, so the node is asked once per interval and left alone otherwise.
package top
