package report

// Order is the body of an override. Mode auto ends whatever is in force.
type Order struct {
	Mode string  `json:"mode"`
	Rate float64 `json:"rate,omitempty"` // people a second, of a pin
	Who  string  `json:"who"`
	Why  string  `json:"why"`           // required, except for auto
	For  string  `json:"for,omitempty"` // 30m; default 15m
}

// Preview is what an order would do.
type Preview struct {
	Order    Order              `json:"order"`
	Rate     float64            `json:"rate"`              // in force now
	NewRate  float64            `json:"new_rate"`          // with the order
	Follows  float64            `json:"follows"`           // seconds until the load of those inside has followed by nine tenths
	Peak     map[string]float64 `json:"peak,omitempty"`    // highest predicted share of each resource's work in the next 300 s; above 1 is too much
	Until    string             `json:"until,omitempty"`   // RFC 3339
	Sentence string             `json:"sentence"`          // the same, for people
	Refused  string             `json:"refused,omitempty"` // why it cannot be done
}
