package hold

// Fare is what the price of a line is called.
func (w *World) Fare(event int64, l *Line) string {
	class := l.Class
	if s := w.seats[seatKey{event, l.Seat}]; class == "" && s != nil {
		class = s.Class
	}
	if c := w.counters[counterKey{event, l.Counter}]; class == "" && c != nil {
		class = c.Class
	}
	return w.levels[priceKey{event, class}]
}
