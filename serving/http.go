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
	"os"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/serving/internal/oip"
	"github.com/lambdamart/lambdamart/serving/internal/ranker"
	"github.com/lambdamart/lambdamart/serving/internal/repository"
)

// routes returns the handler of all paths.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathLive, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]bool{"live": true})
	})
	mux.HandleFunc("GET "+pathReady, func(w http.ResponseWriter, _ *http.Request) {
		status := map[bool]int{true: http.StatusOK, false: http.StatusServiceUnavailable}
		writeJSON(w, status[s.ready()], map[string]bool{"ready": s.ready()})
	})
	describe := func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, struct {
			Name       string   `json:"name"`
			Version    string   `json:"version"`
			Extensions []string `json:"extensions"`
		}{"lambdamart", s.config.Version, []string{}})
	}
	mux.HandleFunc("GET /v2", describe)
	mux.HandleFunc("GET /v2/{$}", describe)
	for _, version := range []string{"", "/versions/{version}"} {
		model := "/v2/models/{model}" + version
		mux.HandleFunc("GET "+model, s.ofModel(s.metadata))
		mux.HandleFunc("GET "+model+"/ready", s.ofModel(func(v *repository.Version) any {
			return map[string]any{"name": v.Name, "version": v.Version, "ready": s.ready()}
		}))
		mux.Handle("POST "+model+"/infer", s.limited(http.HandlerFunc(s.inferHTTP)))
	}
	mux.HandleFunc("GET /metrics", s.metricsHTTP)
	mux.HandleFunc("/v2/repository/", func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, oip.Errorf(http.StatusNotFound, "the calls of Triton's repository are not supported: the "+
			"folder of models is read again when it changes (reload_seconds)"))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, oip.Errorf(http.StatusNotFound, "there is no %s %.200s", r.Method, r.URL.Path))
	})
	return s.recovering(s.authorized(mux))
}

// ready reports whether the server should get requests.
func (s *Server) ready() bool { return !s.draining.Load() }

// ofModel returns a handler that answers with what do returns for the model that the path names.
func (s *Server) ofModel(do func(*repository.Version) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := s.models.Find(r.PathValue("model"), r.PathValue("version"))
		if err != nil {
			writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, do(v))
	}
}

// metadata describes a model. Its parameters are an extension of ours that names the features of a document.
func (s *Server) metadata(v *repository.Version) any {
	names := v.Ranker.FeatureNames()
	parameters := map[string]any{"version": v.Version, "sha256": v.SHA256, "feature_names": names}
	if categories := v.Ranker.Categories(); categories != nil {
		parameters["categories"] = categories
	}
	return oip.Metadata{
		Name: v.Name, Versions: s.models.Versions(v.Name), Platform: "lambdamart",
		Inputs:     []oip.TensorInfo{{Name: ranker.Features, Type: oip.FP64, Shape: []int{-1, len(names)}}},
		Outputs:    []oip.TensorInfo{{Name: oip.Score, Type: oip.FP64, Shape: []int{-1}}},
		Parameters: parameters,
	}
}

// inferHTTP answers a request for scores.
func (s *Server) inferHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	var a answer
	response := s.infer(r, &a)
	s.count(start, &a)
	if a.err != nil {
		writeError(w, a.err)
		return
	}
	write(w, http.StatusOK, response.Encode())
}

// infer reads a request, and computes its scores as soon as one of the threads is free.
func (s *Server) infer(r *http.Request, a *answer) *oip.Response {
	var body []byte
	if body, a.err = s.body(r); a.err != nil {
		return nil
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-r.Context().Done():
		a.err = oip.Errorf(http.StatusServiceUnavailable,
			"the server could not start the request in time; try again later")
		return nil
	}
	request, err := oip.Decode(body)
	if a.err = err; err != nil {
		return nil
	}
	if a.version, a.err = s.models.Find(r.PathValue("model"), r.PathValue("version")); a.err != nil {
		return nil
	}
	scores, err := a.version.Ranker.Rank(r.Context(), request.Inputs)
	a.documents, a.err = len(scores), err
	return &oip.Response{Model: a.version.Name, Version: a.version.Version, ID: request.ID, Scores: scores}
}

// body reads the body of a request, decompressed.
func (s *Server) body(r *http.Request) ([]byte, error) {
	if r.Header.Get("Inference-Header-Content-Length") != "" {
		return nil, oip.Invalid("binary tensors are not supported: send the values in JSON, without the header " +
			"Inference-Header-Content-Length (with tritonclient, set_data_from_numpy(..., binary_data=False))")
	}
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
	if err == nil && len(b) > limit {
		err = &http.MaxBytesError{}
	}
	if err != nil {
		return nil, unread(err, limit)
	}
	return b, nil
}

// unread explains why a body could not be read.
func unread(err error, limit int) error {
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return oip.Errorf(http.StatusRequestEntityTooLarge,
			"the request has more than the %d bytes that are allowed", limit)
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded):
		return oip.Errorf(http.StatusRequestTimeout, "the request did not arrive in time")
	}
	return oip.Invalid("the body of the request could not be read: %v", err)
}

func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body) // the client may be gone
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil { // a defect: the values do not depend on the client
		b = fmt.Appendf(nil, "{%q:%q}", "error", err)
	}
	write(w, status, b)
}

// writeError writes an error in the form of the protocol.
func writeError(w http.ResponseWriter, err error) {
	e := oip.ErrorOf(err)
	switch e.Status {
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writeJSON(w, e.Status, map[string]string{"error": e.Text})
}
