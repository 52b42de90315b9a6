package ticket

import (
	"fmt"

	goqr "github.com/piglig/go-qr"
)

const (
	qrScale  = 8
	qrBorder = 4 // modules; the quiet zone scanners need (ISO/IEC 18004)
)

// QR draws a code as an SVG document. Always dark on white, also on a dark page:
// many scanners do not read inverted codes.
func QR(code string) ([]byte, error) {
	q, err := goqr.EncodeText(code, goqr.Medium)
	if err != nil {
		return nil, fmt.Errorf("ticket: QR code: %w", err)
	}
	svg, err := q.ToSVGBytes(goqr.NewQrCodeImgConfig(qrScale, qrBorder, goqr.WithOptimalSVG()))
	if err != nil {
		return nil, fmt.Errorf("ticket: QR picture: %w", err)
	}
	return svg, nil
}
