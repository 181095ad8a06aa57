package serving

import (
	"log/slog"
	"net/http"
	"runtime/metrics"
	"time"

	"github.com/lambdamart/lambdamart/serving/internal/oip"
	"github.com/lambdamart/lambdamart/serving/internal/prom"
)

// codeNames has the values of the label code.
var codeNames = map[oip.Code]string{
	oip.CodeInvalid: "invalid", oip.CodeNotFound: "not_found", oip.CodeUnauthenticated: "unauthenticated",
	oip.CodeTooLarge: "too_large",
	oip.CodeBusy:     "busy", oip.CodeTimeout: "timeout", oip.CodeInternal: "internal",
}

// secondsBounds are the bounds, in seconds, of the histogram of times.
var secondsBounds = []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
	0.5, 1, 2.5, 5, 10}

// meters are the metrics of a server.
type meters struct {
	requests, documents, seconds, refusals     *prom.Family
	inFlight, ready, models, loads, heap, born *prom.Family
}

func newMeters() *meters {
	m := &meters{
		requests: prom.Counter("lambdamart_requests_total", "Requests for scores, by how they ended.", "model",
			"version", "protocol", "code"),
		documents: prom.Counter("lambdamart_documents_total", "Documents that were scored.", "model", "version"),
		seconds: prom.Histogram("lambdamart_request_seconds",
			"Time to compute a request for scores; in HTTP, that to read it too.", secondsBounds, "protocol"),
		refusals: prom.Counter("lambdamart_refused_total", "Requests that were refused before they were read.",
			"reason"),
		inFlight: prom.Gauge("lambdamart_requests_in_flight", "Requests in progress."),
		ready:    prom.Gauge("lambdamart_ready", "1 while the server takes requests, 0 while it ends."),
		models: prom.Gauge("lambdamart_model_loaded_timestamp_seconds", "When a model was loaded.", "model",
			"version", "sha256"),
		loads: prom.Counter("lambdamart_model_loads_total", "Model files that were loaded, or could not be.",
			"result"),
		heap: prom.Gauge("lambdamart_heap_bytes", "Memory in use by objects."),
		born: prom.Gauge("process_start_time_seconds", "When the server started."),
	}
	m.born.Set(float64(time.Now().Unix()))
	return m
}

// refused counts a request that was not read.
func (m *meters) refused(reason string) { m.refusals.Add(1, reason) }

// begin returns a function to call when a request for scores has been answered; it counts and logs the
// request.
func (m *meters) begin(protocol string, a *answer) func(err error, log *slog.Logger) {
	start := time.Now()
	return func(err error, log *slog.Logger) {
		seconds, code, model, version := time.Since(start).Seconds(), "ok", "", ""
		if err != nil {
			code = codeNames[oip.ErrorOf(err).Code]
		}
		if a.version != nil { // names that clients invent are not labels
			model, version = a.version.Name, a.version.Version
		}
		m.requests.Add(1, model, version, protocol, code)
		if a.documents > 0 {
			m.documents.Add(float64(a.documents), model, version)
		}
		m.seconds.Observe(seconds, protocol)
		if err != nil {
			log.Debug("request", "protocol", protocol, "model", model, "version", version, "code", code, "seconds",
				seconds, "error", err.Error())
			return
		}
		log.Debug("request", "protocol", protocol, "model", model, "version", version, "code", code, "seconds",
			seconds, "documents", a.documents)
	}
}

// metricsHTTP writes all metrics.
func (s *Server) metricsHTTP(w http.ResponseWriter, _ *http.Request) {
	m := s.meters
	m.inFlight.Set(float64(s.inFlight.Load()))
	m.ready.Set(map[bool]float64{true: 1}[s.ready()])
	done, failed := s.models.Loads()
	m.loads.Set(float64(done), "ok")
	m.loads.Set(float64(failed), "failed")
	m.models.Clear()
	for _, v := range s.models.All() {
		m.models.Set(float64(v.Loaded.UnixMilli())/1000, v.Name, v.Version, v.SHA256)
	}
	m.heap.Set(heapBytes())
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	// the client may be gone
	prom.Write(w, m.requests, m.documents, m.seconds, m.refusals, m.inFlight, m.ready, m.models, m.loads, m.heap,
		m.born)
}

// heapBytes returns the memory of objects that are in use or not yet freed.
func heapBytes() float64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}
