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
	"strconv"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// routes returns the handler of all paths.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, answer func(*http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if v, err := answer(r); err != nil {
				writeError(w, err)
			} else {
				write(w, http.StatusOK, v)
			}
		})
	}
	mux.HandleFunc("GET /metrics", s.writeMetrics)
	mux.HandleFunc("GET /v2/health/ready", func(w http.ResponseWriter, _ *http.Request) {
		status := map[bool]int{true: http.StatusOK, false: http.StatusServiceUnavailable}
		write(w, status[s.ready()], map[string]bool{"ready": s.ready()})
	})
	handle("GET /v2/health/live", func(*http.Request) (any, error) {
		return map[string]bool{"live": true}, nil
	})
	handle("GET /v2", s.describe)
	handle("GET /v2/{$}", s.describe)
	for _, path := range []string{"/v2/models/{model}", "/v2/models/{model}/versions/{version}"} {
		handle("GET "+path, s.ofModel(s.metadata))
		handle("GET "+path+"/ready", s.ofModel(func(m *model) any {
			return map[string]any{"name": m.name, "version": m.version, "ready": s.ready()}
		}))
		mux.HandleFunc("POST "+path+"/infer", func(w http.ResponseWriter, r *http.Request) {
			if body, err := s.infer(r); err != nil {
				writeError(w, err)
			} else {
				writeBody(w, http.StatusOK, body)
			}
		})
	}
	handle("/v2/repository/", func(*http.Request) (any, error) {
		return nil, errorf(http.StatusNotFound, "the calls of Triton's repository are not supported: the "+
			"folder of models is read again when it changes (reload_seconds)")
	})
	handle("/", func(r *http.Request) (any, error) {
		return nil, errorf(http.StatusNotFound, "there is no %s %.200s", r.Method, r.URL.Path)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.ready() { // so that a client does not send its next request while its connection is closed
			w.Header().Set("Connection", "close")
		}
		mux.ServeHTTP(w, r)
		// What an answer did not need of a request is read, up to a limit: a client that sends all of it before
		// it reads would lose the answer if its connection were closed meanwhile, and net/http takes 256 kB. A
		// client that asks before it sends (Expect) has the answer first.
		if r.Header.Get("Expect") == "" {
			_, _ = io.CopyN(io.Discard, r.Body, 8*int64(s.config.MaxRequestBytes)) // the client may be gone
		}
	})
}

// describe returns the metadata of the server.
func (s *Server) describe(*http.Request) (any, error) {
	return struct {
		Name       string   `json:"name"`
		Version    string   `json:"version"`
		Extensions []string `json:"extensions"`
	}{"lambdamart", s.config.Version, []string{}}, nil
}

// ofModel answers with what describe returns for the model that the path names.
func (s *Server) ofModel(describe func(*model) any) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		m, err := s.models.find(r.PathValue("model"), r.PathValue("version"))
		if err != nil {
			return nil, err
		}
		return describe(m), nil
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

// answer is the answer to a request for scores.
type answer struct {
	model     *model // nil if there is none: names that clients invent are not labels
	documents int
	body      []byte // in JSON
}

// infer answers a request for scores, in JSON.
func (s *Server) infer(r *http.Request) (body []byte, err error) {
	start := time.Now()
	s.inFlight.Add(1)
	defer s.inFlight.Add(-1)
	ctx, cancel := context.WithTimeout(r.Context(), s.config.Timeout)
	defer cancel()
	a, err := s.score(r.WithContext(ctx))
	s.count(time.Since(start), a, err)
	return a.body, err
}

// score reads a request, and computes and encodes its scores as soon as one of the threads is free.
func (s *Server) score(r *http.Request) (a answer, err error) {
	body, err := s.body(r)
	if err != nil {
		return a, err
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-r.Context().Done():
		return a, errorf(http.StatusServiceUnavailable,
			"the server could not start the request in time; try again later")
	}
	request, err := decode(body)
	if err != nil {
		return a, err
	}
	a.model, err = s.models.find(r.PathValue("model"), r.PathValue("version"))
	if err != nil {
		return a, err
	}
	sums, err := a.model.rank(r.Context(), request.Inputs)
	if err != nil {
		return a, err
	}
	a.documents = len(sums)
	outputs, err := a.model.answer(sums, request.Outputs)
	if err != nil {
		return a, err
	}
	a.body, err = json.Marshal(inferResponse{a.model.name, a.model.version, request.ID, outputs})
	return a, err
}

// body reads the body of a request, decompressed.
func (s *Server) body(r *http.Request) (body []byte, err error) {
	if r.Header.Get("Inference-Header-Content-Length") != "" {
		return nil, invalid("binary tensors are not supported: send the values in JSON, without the header " +
			"Inference-Header-Content-Length (with tritonclient, set_data_from_numpy(..., binary_data=False))")
	}
	in, limit := io.Reader(r.Body), int64(s.config.MaxRequestBytes)
	switch encoding := strings.ToLower(r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip":
		in, err = gzip.NewReader(in)
	default:
		return nil, errorf(http.StatusUnsupportedMediaType,
			"Content-Encoding: %.40q is not supported; send gzip or none", encoding)
	}
	if err == nil && r.ContentLength <= limit {
		body, err = io.ReadAll(io.LimitReader(in, limit+1))
	}
	switch {
	case r.ContentLength > limit || int64(len(body)) > limit:
		return nil, errorf(http.StatusRequestEntityTooLarge,
			"the request has more than the %d bytes that are allowed", limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errorf(http.StatusRequestTimeout, "the request did not arrive in time")
	case err != nil:
		return nil, invalid("the body of the request could not be read: %v", err)
	}
	return body, nil
}

// write writes an answer in JSON.
func write(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // a defect: the values do not depend on the client
	}
	writeBody(w, status, body)
}

// writeBody writes an answer that is in JSON already.
func writeBody(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body) // the client may be gone
}

// writeError writes an error in the form of the protocol.
func writeError(w http.ResponseWriter, err error) {
	status := statusOf(err)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	write(w, status, map[string]string{"error": err.Error()})
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

// bounds are those of the histogram of times, in seconds.
var bounds = []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
	1, 2.5, 5, 10}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// series returns the name of a metric with labels, given as names and values in turn.
func series(name string, labels ...string) string {
	var list []string
	for i := 0; i < len(labels); i += 2 {
		list = append(list, fmt.Sprintf(`%s="%s"`, labels[i], escape.Replace(labels[i+1])))
	}
	return name + "{" + strings.Join(list, ",") + "}"
}

// count counts and logs a request for scores.
func (s *Server) count(took time.Duration, a answer, err error) {
	code, name, version := http.StatusOK, "", ""
	if a.model != nil {
		name, version = a.model.name, a.model.version
	}
	facts := []any{"model", name, "version", version, "seconds", took.Seconds(), "documents", a.documents}
	if err != nil {
		code = statusOf(err)
		facts = append(facts, "error", err.Error())
	}
	s.metrics.GetOrCreateCounter(series("lambdamart_requests_total", "model", name, "version", version, "code",
		strconv.Itoa(code))).Inc()
	s.metrics.GetOrCreateCounter(series("lambdamart_documents_total", "model", name, "version", version)).
		Add(a.documents)
	s.seconds.Update(took.Seconds())
	s.log.Debug("request", append(facts, "code", code)...)
}

// writeMetrics writes all metrics, and those of the process. The client may be gone.
func (s *Server) writeMetrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	s.metrics.WritePrometheus(w)
	loaded := metrics.NewSet()
	for _, m := range s.models.all() {
		loaded.NewGauge(series("lambdamart_model_loaded_timestamp_seconds", "model", m.name, "version", m.version,
			"sha256", m.sha256), func() float64 { return float64(m.loaded.UnixMilli()) / 1000 })
	}
	loaded.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}
