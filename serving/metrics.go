package serving

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// bounds are those of the histogram of times, in seconds.
var bounds = []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
	1, 2.5, 5, 10}

// newMetrics returns the metrics of a server, and the histogram among them.
func newMetrics(s *Server) (*metrics.Set, *metrics.PrometheusHistogram) {
	set := metrics.NewSet()
	set.NewGauge("lambdamart_requests_in_flight", func() float64 { return float64(s.inFlight.Load()) })
	set.NewGauge("lambdamart_ready", func() float64 { return map[bool]float64{true: 1}[s.ready()] })
	return set, set.NewPrometheusHistogramExt("lambdamart_request_seconds", bounds)
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// series returns the name of a metric with labels, given as names and values in turn.
func series(name string, labels ...string) string {
	var list []string
	for i := 0; i < len(labels); i += 2 {
		list = append(list, fmt.Sprintf(`%s="%s"`, labels[i], escape.Replace(labels[i+1])))
	}
	return name + "{" + strings.Join(list, ",") + "}"
}

// count counts and logs a request for scores that began at a time.
func (s *Server) count(start time.Time, a *answer) {
	seconds, code, name, version := time.Since(start).Seconds(), http.StatusOK, "", ""
	if a.model != nil {
		name, version = a.model.name, a.model.version
	}
	facts := []any{"model", name, "version", version, "seconds", seconds, "documents", a.documents}
	if a.err != nil {
		code = errorOf(a.err).Status
		facts = append(facts, "error", a.err.Error())
	}
	s.metrics.GetOrCreateCounter(series("lambdamart_requests_total", "model", name, "version", version, "code",
		strconv.Itoa(code))).Inc()
	s.metrics.GetOrCreateCounter(series("lambdamart_documents_total", "model", name, "version", version)).
		Add(a.documents)
	s.seconds.Update(seconds)
	s.log.Debug("request", append(facts, "code", code)...)
}

// metricsHTTP writes all metrics, and those of the process.
func (s *Server) metricsHTTP(w http.ResponseWriter, _ *http.Request) {
	set, done, failed := s.metrics, s.models.loads.Load(), s.models.failures.Load()
	set.GetOrCreateCounter(series("lambdamart_model_loads_total", "result", "ok")).Set(done)
	set.GetOrCreateCounter(series("lambdamart_model_loads_total", "result", "failed")).Set(failed)
	loaded := metrics.NewSet()
	for _, m := range s.models.all() {
		loaded.NewGauge(series("lambdamart_model_loaded_timestamp_seconds", "model", m.name, "version", m.version,
			"sha256", m.sha256), func() float64 { return float64(m.loaded.UnixMilli()) / 1000 })
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	set.WritePrometheus(w) // the client may be gone
	loaded.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}
