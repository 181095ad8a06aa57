package serving

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// routes returns the handler of all paths.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v2/health/live", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]bool{"live": true})
	})
	mux.HandleFunc("GET /v2/health/ready", func(w http.ResponseWriter, _ *http.Request) {
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
		path := "/v2/models/{model}" + version
		mux.HandleFunc("GET "+path, s.ofModel(s.metadata))
		mux.HandleFunc("GET "+path+"/ready", s.ofModel(func(m *model) any {
			return map[string]any{"name": m.name, "version": m.version, "ready": s.ready()}
		}))
		mux.HandleFunc("POST "+path+"/infer", s.infer)
	}
	mux.HandleFunc("GET /metrics", s.writeMetrics)
	mux.HandleFunc("/v2/repository/", func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, errorf(http.StatusNotFound, "the calls of Triton's repository are not supported: the "+
			"folder of models is read again when it changes (reload_seconds)"))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, errorf(http.StatusNotFound, "there is no %s %.200s", r.Method, r.URL.Path))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.ready() { // so that a client does not send its next request while its connection is closed
			w.Header().Set("Connection", "close")
		}
		mux.ServeHTTP(w, r)
		s.takeRest(r)
	})
}

// takeRest reads what an answer did not need of a request, up to a limit. A client that sends all of a
// request before it reads would lose the answer if its connection were closed meanwhile: net/http takes
// 256 kB. A client that asks before it sends (Expect) has the answer first.
func (s *Server) takeRest(r *http.Request) {
	if r.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, r.Body, 8*int64(s.config.MaxRequestBytes)) // the client may be gone
	}
}

// ofModel returns a handler that answers with what do returns for the model that the path names.
func (s *Server) ofModel(do func(*model) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		m, err := s.models.find(r.PathValue("model"), r.PathValue("version"))
		if err != nil {
			writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, do(m))
	}
}

// metadata describes a model. Its parameters are an extension of ours that names the features of a document.
func (s *Server) metadata(m *model) any {
	parameters := map[string]any{"version": m.version, "sha256": m.sha256, "feature_names": m.names}
	if len(m.categories) > 0 {
		parameters["categories"] = m.categories
	}
	return struct {
		Name       string         `json:"name"`
		Versions   []string       `json:"versions"`
		Platform   string         `json:"platform"`
		Inputs     []tensor       `json:"inputs"`
		Outputs    []tensor       `json:"outputs"`
		Parameters map[string]any `json:"parameters"`
	}{m.name, s.models.versions(m.name), "lambdamart",
		[]tensor{{Name: featuresInput, Type: fp64, Shape: []int{-1, len(m.names)}}}, m.outputs, parameters}
}

// infer answers a request for scores.
func (s *Server) infer(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	s.inFlight.Add(1)
	defer s.inFlight.Add(-1)
	ctx, cancel := context.WithTimeout(r.Context(), s.config.Timeout)
	defer cancel()
	var a answer
	err := s.score(r.WithContext(ctx), &a)
	s.count(time.Since(start), &a, err)
	if err != nil {
		writeError(w, err)
		return
	}
	write(w, http.StatusOK, a.body)
}

// answer is the answer to a request for scores.
type answer struct {
	model     *model // nil if there is none: names that clients invent are not labels
	documents int
	body      []byte
}

// score reads a request, and computes its scores as soon as one of the threads is free.
func (s *Server) score(r *http.Request, a *answer) error {
	body, err := s.body(r)
	if err != nil {
		return err
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-r.Context().Done():
		return errorf(http.StatusServiceUnavailable,
			"the server could not start the request in time; try again later")
	}
	request, err := decode(body)
	if err != nil {
		return err
	}
	if a.model, err = s.models.find(r.PathValue("model"), r.PathValue("version")); err != nil {
		return err
	}
	sums, err := a.model.rank(r.Context(), request.Inputs)
	if err != nil {
		return err
	}
	a.documents = len(sums)
	outputs, err := a.model.answer(sums, request.Outputs)
	if err != nil {
		return err
	}
	a.body, err = json.Marshal(inferResponse{a.model.name, a.model.version, request.ID, outputs})
	return err
}

// body reads the body of a request, decompressed.
func (s *Server) body(r *http.Request) ([]byte, error) {
	if r.Header.Get("Inference-Header-Content-Length") != "" {
		return nil, invalid("binary tensors are not supported: send the values in JSON, without the header " +
			"Inference-Header-Content-Length (with tritonclient, set_data_from_numpy(..., binary_data=False))")
	}
	limit := int64(s.config.MaxRequestBytes)
	tooLong := errorf(http.StatusRequestEntityTooLarge,
		"the request has more than the %d bytes that are allowed", limit)
	if r.ContentLength > limit {
		return nil, tooLong
	}
	var in io.Reader = r.Body
	var err error
	switch encoding := strings.ToLower(r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip":
		in, err = gzip.NewReader(in)
	default:
		return nil, errorf(http.StatusUnsupportedMediaType,
			"Content-Encoding: %.40q is not supported; send gzip or none", encoding)
	}
	var body []byte
	if err == nil {
		body, err = io.ReadAll(io.LimitReader(in, limit+1))
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errorf(http.StatusRequestTimeout, "the request did not arrive in time")
	case err != nil:
		return nil, invalid("the body of the request could not be read: %v", err)
	case int64(len(body)) > limit:
		return nil, tooLong
	}
	return body, nil
}

func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body) // the client may be gone
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a defect: the values do not depend on the client
	}
	write(w, status, b)
}

// writeError writes an error in the form of the protocol.
func writeError(w http.ResponseWriter, err error) {
	status := statusOf(err)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, status, map[string]string{"error": err.Error()})
}

// clientError is an error that a client gets, with its status of HTTP.
type clientError struct {
	status int
	text   string
}

func (e *clientError) Error() string { return e.text }

// errorf returns an error with the text of [fmt.Sprintf].
func errorf(status int, format string, args ...any) error {
	return &clientError{status, fmt.Sprintf(format, args...)}
}

// invalid returns an error about an invalid request.
func invalid(format string, args ...any) error { return errorf(http.StatusBadRequest, format, args...) }

// statusOf returns the status of an error. One that is of no client is internal to the server.
func statusOf(err error) int {
	var e *clientError
	if errors.As(err, &e) {
		return e.status
	}
	return http.StatusInternalServerError
}
