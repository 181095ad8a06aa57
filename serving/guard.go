package serving

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/serving/internal/oip"
)

// recovering returns a handler that calls next. If next panics, it logs the panic and answers with an
// internal error.
func (s *Server) recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				s.log.Error("panic", "path", r.URL.Path, "value", v, "stack", string(debug.Stack()))
				writeError(w, oip.Errorf(http.StatusInternalServerError, "a defect of the server; its log has details"))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// Paths that need no token, so that probes can ask for health.
const (
	pathLive  = "/v2/health/live"
	pathReady = "/v2/health/ready"
)

// authorized refuses requests without the token.
func (s *Server) authorized(next http.Handler) http.Handler {
	if s.config.Token == "" {
		return next
	}
	want := sha256.Sum256([]byte(s.config.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(token))
		known := strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1
		if !known && r.URL.Path != pathLive && r.URL.Path != pathReady {
			s.meters.refused("unauthenticated")
			writeError(w, oip.Errorf(http.StatusUnauthorized,
				"the token is missing or wrong; send the header Authorization: Bearer TOKEN"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// limited limits the number of concurrent requests, their bytes and their time.
func (s *Server) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.inFlight.Add(-1)
		if s.inFlight.Add(1) > int64(s.config.MaxRequests) {
			s.meters.refused("busy")
			writeError(w, oip.Errorf(http.StatusServiceUnavailable,
				"the server has %d requests in progress and takes no more; try again later", s.config.MaxRequests))
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), s.config.Timeout)
		defer cancel()
		// Not every server can limit the time of reading, but that of package http can.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.config.Timeout))
		r.Body = http.MaxBytesReader(w, r.Body, int64(s.config.MaxRequestBytes))
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
