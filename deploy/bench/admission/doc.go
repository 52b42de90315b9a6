// Command admission lets the admission controller, simpler controllers and two oracles play the same scenarios on the same
// seeds, prints the table of what each reached, and ends with the figures that have goals, as BENCH lines.
//
//	make bench-admission
//	make bench-admission SEEDS=7001,7002,7003
//	make bench-admission BENCH_FLAGS="-only flash,half_lost -against few"
//
// Parameters are tuned on other seeds than these judge on: see sim.TuningSeeds, which are refused here.
package main
