package serving

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// routes returns the handler of all paths.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, answer func(*http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			v, err := answer(r)
			if err != nil {
				v = map[string]string{"error": err.Error()}
			}
			write(w, statusOf(err), v)
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
		handle("POST "+path+"/infer", s.infer)
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

// metadata describes a model.
func (s *Server) metadata(m *model) any {
	return struct {
		Name       string         `json:"name"`
		Versions   []string       `json:"versions"`
		Platform   string         `json:"platform"`
		Inputs     []tensor       `json:"inputs"`
		Outputs    []tensor       `json:"outputs"`
		Parameters map[string]any `json:"parameters"`
	}{m.name, s.models.versions(m.name), "lambdamart",
		[]tensor{{Name: featuresInput, Type: fp64, Shape: []int{-1, len(m.names)}}}, m.outputs, m.parameters}
}

// infer answers a request for scores, in JSON.
func (s *Server) infer(r *http.Request) (any, error) {
	start := time.Now()
	s.inFlight.Inc()
	defer s.inFlight.Dec()
	ctx, cancel := context.WithTimeout(r.Context(), s.config.Timeout)
	defer cancel()
	response, body, err := s.score(r.WithContext(ctx))
	s.count(time.Since(start), response, err)
	return body, err
}

// score reads a request, and computes and encodes its scores as soon as one of the threads is free.
func (s *Server) score(r *http.Request) (response inferResponse, body []byte, err error) {
	body, err = s.body(r)
	if err != nil {
		return response, nil, err
	}
	if s.threads.Acquire(r.Context(), 1) != nil {
		return response, nil, errorf(http.StatusServiceUnavailable,
			"the server could not start the request in time; try again later")
	}
	defer s.threads.Release(1)
	request, err := decode(body)
	if err != nil {
		return response, nil, err
	}
	m, err := s.models.find(r.PathValue("model"), r.PathValue("version"))
	if err != nil {
		return response, nil, err
	}
	response = inferResponse{Model: m.name, Version: m.version, ID: request.ID}
	if err = m.answer(r.Context(), request, &response); err != nil {
		return response, nil, err
	}
	body, err = json.Marshal(response)
	return response, body, err
}

// body reads the body of a request, decompressed.
func (s *Server) body(r *http.Request) (body []byte, err error) {
	if r.Header.Get("Inference-Header-Content-Length") != "" {
		return nil, invalid(noBinary)
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
			"the request has more than the %s that are allowed", wording.Count(limit, "byte"))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errorf(http.StatusRequestTimeout, "the request did not arrive in time")
	case err != nil:
		return nil, invalid("the body of the request could not be read: %v", err)
	}
	return body, nil
}

// write writes an answer, which may be in JSON already.
func write(w http.ResponseWriter, status int, v any) {
	body, isJSON := v.([]byte)
	if !isJSON {
		body, _ = json.Marshal(v) // it does not fail: the types do not depend on the client
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}

// clientError is an error that a client gets, with its status of HTTP.
type clientError struct {
	status int
	error
}

// errorf returns an error with the text of [fmt.Errorf].
func errorf(status int, format string, args ...any) error {
	return &clientError{status, fmt.Errorf(format, args...)}
}

// invalid returns an error about an invalid request.
func invalid(format string, args ...any) error { return errorf(http.StatusBadRequest, format, args...) }

// statusOf returns the status of an answer with an error or nil. An error that is of no client is internal to
// the server.
func statusOf(err error) int {
	if err == nil {
		return http.StatusOK
	}
	if e, ok := errors.AsType[*clientError](err); ok {
		return e.status
	}
	return http.StatusInternalServerError
}

// bounds are those of the histogram of times, in seconds.
var bounds = []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
	1, 2.5, 5, 10}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// labels returns the labels of a metric of a model without the last brace.
func labels(name, version string) string {
	return fmt.Sprintf(`{model="%s",version="%s"`, escape.Replace(name), version)
}

// count counts and logs a request for scores. The response has no model if there is none: names that clients
// invent are not labels.
func (s *Server) count(took time.Duration, response inferResponse, err error) {
	code, of := statusOf(err), labels(response.Model, response.Version)
	s.metrics.GetOrCreateCounter(fmt.Sprintf(`lambdamart_requests_total%s,code="%d"}`, of, code)).Inc()
	s.metrics.GetOrCreateCounter("lambdamart_documents_total" + of + "}").Add(response.documents)
	s.seconds.Update(took.Seconds())
	facts := []any{"model", response.Model, "version", response.Version, "seconds", took.Seconds(),
		"documents", response.documents, "code", code}
	if err != nil {
		facts = append(facts, "error", err.Error())
	}
	s.config.Log.Debug("request", facts...)
}

// writeMetrics writes all metrics, and those of the process. The client may be gone.
func (s *Server) writeMetrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	s.metrics.WritePrometheus(w)
	loaded := metrics.NewSet()
	for _, m := range slices.Concat(slices.Collect(maps.Values(s.models.state.Load().models))...) {
		of := fmt.Sprintf(`%s,sha256="%s"}`, labels(m.name, m.version), m.sha256)
		loaded.NewGauge("lambdamart_model_loaded_timestamp_seconds"+of,
			func() float64 { return float64(m.loaded.UnixMilli()) / 1000 })
	}
	loaded.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}
