package serving

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/lambdamart/lambdamart/serving/internal/oip"
)

// recovering returns a handler that calls next. If next panics, it logs the panic and answers with an
// internal error.
func (s *Server) recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler {
				panic(v) // ends the connection
			}
			s.log.Error("panic", "path", r.URL.Path, "value", v, "stack", string(debug.Stack()))
			refuse(w, r, oip.Errorf(oip.CodeInternal, "a defect of the server; its log has details"))
		}()
		next.ServeHTTP(w, r)
	})
}

// authorized refuses requests without the token. Health needs none, so that probes can ask for it.
func (s *Server) authorized(next http.Handler) http.Handler {
	if s.config.Token == "" {
		return next
	}
	want := sha256.Sum256([]byte(s.config.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(token))
		known := strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1
		if !known && !isHealth(r.URL.Path) {
			s.meters.refused("unauthenticated")
			refuse(w, r, oip.Errorf(oip.CodeUnauthenticated,
				"the token is missing or wrong; send the header Authorization: Bearer TOKEN"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isHealth(path string) bool {
	return path == pathLive || path == pathReady || path == grpcService+"ServerLive" ||
		path == grpcService+"ServerReady"
}

// limited limits the number of concurrent requests, their bytes and their time.
func (s *Server) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.inFlight.Add(-1)
		if s.inFlight.Add(1) > int64(s.config.MaxRequests) {
			s.meters.refused("busy")
			refuse(w, r, oip.Errorf(oip.CodeBusy,
				"the server has %d requests in progress and takes no more; try again later", s.config.MaxRequests))
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), s.config.Timeout)
		defer cancel()
		if !isGRPC(r) { // the gRPC library limits messages itself
			r.Body = http.MaxBytesReader(w, r.Body, int64(s.config.MaxRequestBytes))
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// refuse answers with an error in the protocol of the request.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	if isGRPC(r) {
		refuseGRPC(w, r, err)
		return
	}
	writeError(w, err)
}

func isGRPC(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}
