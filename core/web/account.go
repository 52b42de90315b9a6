package web

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// accountName reads whom an account token names, for the header only. It does not
// verify the token, and need not: the page goes to whoever sent it, and whatever
// an account may see or do is decided by the API, which does.
func accountName(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return ""
	}
	var claims struct {
		Email string `json:"email"`
	}
	if json.Unmarshal(payload, &claims) != nil {
		return ""
	}
	return claims.Email
}
