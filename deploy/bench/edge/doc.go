// Command edge measures the waiting room as a process, against bare Caddy of the same binary, and what no comparison exists
// for as a number of its own:
//
//	*_vs_caddy_*                rate of answers over that of bare Caddy's `respond` with the same bytes, or bare
//	                            `reverse_proxy`; both sides get the same requests, on the same connections count, in turns
//	cost, bytes_per_waiting     CPU and memory of the edge's process with a thousand and with a million waiting
//	redis_*                     what a waiting person costs in Redis
//	overshoot, ghost_throughput three edges and a spike; a line half of whose people never come back
//	lost, doubled, resume       FLUSHALL, and kill -9 of Redis, with a hundred thousand waiting
//	verify                      `ropeline verify-draw` of 2^20+1 participants
//
// Each figure is a line `BENCH name value`; lines that begin with # say what was done. `edge -h` lists the flags, `make
// bench-edge` runs it all. The load comes from this process, on the same machine: its cost is in both sides of a ratio.
package main
