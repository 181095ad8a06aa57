package serving

import (
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/serving/internal/oip"
	"github.com/lambdamart/lambdamart/serving/internal/repository"
)

// statusOf maps errors to HTTP statuses.
var statusOf = map[oip.Code]int{
	oip.CodeInvalid:         http.StatusBadRequest,
	oip.CodeNotFound:        http.StatusNotFound,
	oip.CodeUnauthenticated: http.StatusUnauthorized,
	oip.CodeTooLarge:        http.StatusRequestEntityTooLarge,
	oip.CodeBusy:            http.StatusServiceUnavailable,
	oip.CodeTimeout:         http.StatusGatewayTimeout,
	oip.CodeInternal:        http.StatusInternalServerError,
}

// routes returns the handler of all paths.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathLive, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]bool{"live": true})
	})
	mux.HandleFunc("GET "+pathReady, s.readyHTTP)
	mux.HandleFunc("GET /v2", s.describeHTTP)
	mux.HandleFunc("GET /v2/{$}", s.describeHTTP)
	for _, version := range []string{"", "/versions/{version}"} {
		model := "/v2/models/{model}" + version
		mux.HandleFunc("GET "+model, s.ofModel(s.metadataHTTP))
		mux.HandleFunc("GET "+model+"/ready", s.ofModel(func(w http.ResponseWriter, v *repository.Version) {
			writeJSON(w, map[string]any{"name": v.Name, "version": v.Version, "ready": s.ready()})
		}))
		mux.Handle("POST "+model+"/infer", s.limited(http.HandlerFunc(s.inferHTTP)))
	}
	mux.HandleFunc("POST /v2/repository/index", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, s.models.Index())
	})
	mux.HandleFunc("POST /v2/repository/models/{model}/load", s.loadHTTP)
	mux.HandleFunc("GET /metrics", s.metricsHTTP)
	mux.Handle(grpcService, s.limited(s.grpc()))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, oip.Errorf(oip.CodeNotFound, "there is no %s %.200s", r.Method, r.URL.Path))
	})
	return s.recovering(s.authorized(mux))
}

// Paths that need no token.
const (
	pathLive  = "/v2/health/live"
	pathReady = "/v2/health/ready"
)

func (s *Server) readyHTTP(w http.ResponseWriter, _ *http.Request) {
	if !s.ready() {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	writeJSON(w, map[string]bool{"ready": s.ready()})
}

func (s *Server) describeHTTP(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.description()) }

// ofModel returns a handler that calls do with the model that the path names.
func (s *Server) ofModel(do func(http.ResponseWriter, *repository.Version)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := s.models.Find(r.PathValue("model"), r.PathValue("version"))
		if err != nil {
			writeError(w, err)
			return
		}
		do(w, v)
	}
}

// metadataHTTP writes the metadata of a model. Its parameters are an extension of ours that names the
// features of a document.
func (s *Server) metadataHTTP(w http.ResponseWriter, v *repository.Version) {
	parameters := map[string]any{"version": v.Version, "sha256": v.SHA256,
		"feature_names": v.Ranker.FeatureNames()}
	if categories := v.Ranker.Categories(); categories != nil {
		parameters["categories"] = categories
	}
	writeJSON(w, struct {
		*oip.Metadata
		Parameters map[string]any `json:"parameters"`
	}{s.metadata(v), parameters})
}

// loadHTTP checks the folder now. The answer is an error if the model cannot be loaded from its current file.
func (s *Server) loadHTTP(w http.ResponseWriter, r *http.Request) {
	if err := s.load(r.PathValue("model")); err != nil {
		writeError(w, err)
		return
	}
	writeJSON(w, struct{}{})
}

// load checks the folder now, and returns an error if the model cannot be loaded.
func (s *Server) load(name string) error {
	if err := s.Refresh(); err != nil {
		return err
	}
	for _, e := range s.models.Index() {
		if e.Name == name && e.Reason != "" {
			return oip.Invalid("%s", e.Reason)
		}
	}
	_, err := s.models.Find(name, "")
	return err
}

// headerLength is the HTTP header for the length of the JSON part of a body, which binary tensors follow.
const headerLength = "Inference-Header-Content-Length"

// inferHTTP answers a request for scores.
func (s *Server) inferHTTP(w http.ResponseWriter, r *http.Request) {
	var a answer
	done := s.meters.begin("http", &a)
	response, err := s.inferBody(r, &a)
	done(err, s.log)
	if err != nil {
		writeError(w, err)
		return
	}
	writeResponse(w, response)
}

func (s *Server) inferBody(r *http.Request, a *answer) (response *oip.Response, err error) {
	body, err := s.body(r)
	if err != nil {
		return nil, ofContext(r.Context(), err)
	}
	header, err := headerOf(r)
	if err != nil {
		return nil, err
	}
	err = s.compute(r.Context(), func() error {
		request, err := oip.DecodeJSON(body, header)
		if err != nil {
			return err
		}
		request.Model, request.Version = r.PathValue("model"), r.PathValue("version")
		response, err = s.infer(r.Context(), request, a)
		return err
	})
	return response, err
}

// headerOf returns the length of the JSON at the beginning of the body, or -1 if it is the whole body.
func headerOf(r *http.Request) (int, error) {
	text := r.Header.Get(headerLength)
	if text == "" {
		return -1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, oip.Invalid("%s: %.40q is not a number of bytes", headerLength, text)
	}
	return n, nil
}

// body reads the body of a request, decompressed.
func (s *Server) body(r *http.Request) ([]byte, error) {
	limit := s.config.MaxRequestBytes
	var in io.Reader = r.Body
	var err error
	switch encoding := strings.ToLower(r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip":
		in, err = gzip.NewReader(in)
	case "deflate":
		in, err = zlib.NewReader(in)
	default:
		return nil, oip.Invalid("Content-Encoding: %.40q is not supported; send gzip, deflate or none", encoding)
	}
	if err != nil {
		return nil, unread(err, limit)
	}
	b, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err != nil {
		return nil, unread(err, limit)
	}
	if len(b) > limit {
		return nil, tooLarge(limit)
	}
	return b, nil
}

// unread explains why a body could not be read.
func unread(err error, limit int) error {
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return tooLarge(limit)
	}
	if errors.Is(err, context.DeadlineExceeded) || isTimeout(err) {
		return oip.Errorf(oip.CodeTimeout, "the request did not arrive in time")
	}
	return oip.Invalid("the body of the request could not be read: %v", err)
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

func tooLarge(limit int) error {
	return oip.Errorf(oip.CodeTooLarge, "the request has more than the %d bytes that are allowed", limit)
}

func writeResponse(w http.ResponseWriter, response *oip.Response) {
	body, header := oip.EncodeJSON(response)
	if header >= 0 {
		w.Header().Set(headerLength, strconv.Itoa(header))
		w.Header().Set("Content-Type", "application/octet-stream")
	} else {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body) // the client may be gone
}

func writeJSON(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v)
	if err != nil { // a defect: the values do not depend on the client
		b = fmt.Appendf(nil, "{%q:%q}", "error", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(b)
}

// writeError writes an error in the form of the protocol.
func writeError(w http.ResponseWriter, err error) {
	e := oip.ErrorOf(err)
	b, _ := json.Marshal(map[string]string{"error": e.Text})
	w.Header().Set("Content-Type", "application/json")
	switch e.Code {
	case oip.CodeBusy:
		w.Header().Set("Retry-After", "1")
	case oip.CodeUnauthenticated:
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.WriteHeader(statusOf[e.Code])
	w.Write(b)
}
