package sim

// Servers of the ordinary shop. The others are a quarter and two and a half of it, with the same configuration.
const ordinary = 24

// Scenarios are the stories, in the order they are printed.
func Scenarios() []Scenario {
	list := []Scenario{
		{Name: "flash", Group: "calm"},
		{Name: "large", Group: "calm", Servers: 60},
		{Name: "no_show", Group: "calm", changes: []change{{600, func(w *World) { w.Show = 0.6 }}}},
		{Name: "noisy", Group: "noisy", changes: []change{{0, func(w *World) { w.Noise, w.Missing = 0.3, 0.05 }}}},
		{Name: "small", Group: "small", Servers: 6},
		{Name: "half_lost", Group: "fault", changes: span(600, 1000, func(w *World) { w.Servers /= 2 }, func(w *World) { w.Servers *= 2 })},
		{Name: "half_lost_gate", Group: "gate", Gate: true, changes: span(600, 1000, func(w *World) { w.Servers /= 2 }, func(w *World) { w.Servers *= 2 })},
		{Name: "failover", Group: "fault", changes: span(700, 730, func(w *World) { w.Down = true }, func(w *World) { w.Down = false })},
		{Name: "blackout", Group: "fault", changes: append(
			span(700, 880, func(w *World) { w.Telemetry = false }, func(w *World) { w.Telemetry = true }),
			change{730, func(w *World) { w.Slow = 1 / 0.7 }}, change{910, func(w *World) { w.Slow = 1 }})},
		{Name: "slow_payment", Group: "payment", changes: span(600, 1000, func(w *World) { w.PayTime = 12 }, func(w *World) { w.PayTime = 1.2 })},
		{Name: "no_signal", Group: "blind", changes: []change{{0, func(w *World) { w.Telemetry = false }}}},
		{Name: "prior_low", Group: "prior", Safe: 0.01, Guess: 100},
		{Name: "prior_high", Group: "prior_high", Guess: 0.01},
		{Name: "degrading", Group: "other", changes: degrading()},
		{Name: "doubling", Group: "other", changes: []change{{700, func(w *World) { w.Servers *= 2; w.Slots *= 2 }}}},
		{Name: "thinking", Group: "other", changes: []change{{600, func(w *World) { w.Think = 2 }}}},
		{Name: "lying", Group: "other", changes: []change{{600, func(w *World) { w.Lie = 0.5 }}}},
		{Name: "leader_crash", Group: "other", changes: span(700, 712, func(w *World) { w.Leader = false }, func(w *World) { w.Leader = true })},
		{Name: "store_outage", Group: "other", changes: span(700, 730, func(w *World) { w.Store = false }, func(w *World) { w.Store = true })},
		{Name: "skew", Group: "other", changes: []change{{300, func(w *World) { w.Skew = 2 }}}},
		{Name: "bots", Group: "other", changes: []change{{600, func(w *World) { w.Bots = 0.3 }}}},
		{Name: "pin_return", Group: "other", Pin: [2]float64{600, 900}},
		{Name: "sold_out", Group: "stock", Seats: 9000, Seconds: 2700},
	}
	for i := range list {
		s := &list[i]
		s.Seconds, s.Servers = orInt(s.Seconds, 1800), orFloat(s.Servers, ordinary)
		s.Safe, s.Guess = orFloat(s.Safe, 1), orFloat(s.Guess, 1)
	}
	return list
}

func span(from, to float64, begin, end func(*World)) []change {
	return []change{{from, begin}, {to, end}}
}

// degrading makes every answer 1 % slower each 10 s, up to 40 %.
func degrading() (list []change) {
	for i := 1; i <= 40; i++ {
		slow := 1 + 0.01*float64(i)
		list = append(list, change{600 + 10*float64(i), func(w *World) { w.Slow = slow }})
	}
	return list
}

func orInt(v, otherwise int) int {
	if v == 0 {
		return otherwise
	}
	return v
}

func orFloat(v, otherwise float64) float64 {
	if v == 0 {
		return otherwise
	}
	return v
}
