package rows

// maxToken is the length to which tokens are cut in errors.
const maxToken = 60

// Shorten cuts a token that would fill the screen.
func Shorten(token []byte) string {
	if len(token) > maxToken {
		return string(token[:maxToken]) + "…"
	}
	return string(token)
}
