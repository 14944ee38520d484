package num

import "strconv"

// AppendFloat writes a float in scientific form with n digits after the point
// and at least two in the exponent, as C's %.*e.
func AppendFloat(b []byte, f float64, n int) []byte { return strconv.AppendFloat(b, f, 'e', n, 64) }
