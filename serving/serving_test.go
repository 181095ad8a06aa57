package serving

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/tree"
)

// constant returns the text of a model that gives every document the same score.
func constant(t testing.TB, score float64) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, lambdamart.WriteModelTo(&b, &tree.Ensemble{
		Trees:    []tree.Tree{{LeafValue: []float64{score}, LeafWeight: []float64{1}, LeafCount: []int64{1}}},
		Features: []tree.Feature{{Name: "a"}},
	}))
	return b.Bytes()
}

// replace replaces a file atomically.
func replace(t testing.TB, path string, content []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path+".tmp", content, 0o666))
	require.NoError(t, os.Rename(path+".tmp", path))
}

// running is a server and its addresses.
type running struct {
	*Server
	folder, address string
	stop            context.CancelFunc
	ended           chan error
	log             *safeBuffer
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// start runs a server with the model "shop", whose scores are 1.
func start(t testing.TB, change func(*Config)) *running {
	t.Helper()
	r := &running{folder: t.TempDir(), ended: make(chan error, 1), log: new(safeBuffer)}
	replace(t, filepath.Join(r.folder, "shop.txt"), constant(t, 1))
	c := DefaultConfig()
	c.Models, c.Reload = r.folder, 0
	c.Log = slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if change != nil {
		change(&c)
	}
	var err error
	r.Server, err = New(c)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r.address = l.Addr().String()
	var ctx context.Context
	ctx, r.stop = context.WithCancel(context.Background())
	go func() { r.ended <- r.Serve(ctx, l) }()
	t.Cleanup(r.stop)
	return r
}

const oneDocument = `{"id":"i","inputs":[{"name":"features","datatype":"FP64","shape":[1,1],"data":[5]}]}`

// post sends a request, and returns the status and the body.
func (r *running) post(t testing.TB, path, body string, header ...string) (int, string) {
	t.Helper()
	return send(t, http.DefaultClient, "POST", "http://"+r.address+path, body, header...)
}

func (r *running) get(t testing.TB, path string, header ...string) (int, string) {
	t.Helper()
	return send(t, http.DefaultClient, "GET", "http://"+r.address+path, "", header...)
}

func send(t testing.TB, client *http.Client, method, url, body string, header ...string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(b)
}

// requireError requires a status, and a JSON error that contains part.
func requireError(t testing.TB, status int, part string, gotStatus int, body string) {
	t.Helper()
	require.Equal(t, status, gotStatus, body)
	var e map[string]string
	require.NoError(t, json.Unmarshal([]byte(body), &e), body)
	require.Contains(t, e["error"], part)
	require.Len(t, e, 1)
}

func TestPaths(t *testing.T) {
	r := start(t, nil)
	for _, c := range []struct {
		method, path, body, want string
	}{
		{"GET", "/v2/health/live", "", `{"live":true}`},
		{"GET", "/v2/health/ready", "", `{"ready":true}`},
		{"GET", "/v2", "", `{"name":"lambdamart","version":"","extensions":["binary_tensor_data","model_repository"]}`},
		{"GET", "/v2/models/shop/ready", "", `{"name":"shop","version":"1","ready":true}`},
		{"GET", "/v2/models/shop/versions/1/ready", "", `{"name":"shop","version":"1","ready":true}`},
		{"POST", "/v2/models/shop/infer", oneDocument, `{"model_name":"shop","model_version":"1","id":"i","outputs":[{"name":"score","datatype":"FP64","shape":[1],"data":[1]}]}`},
		{"POST", "/v2/models/shop/versions/1/infer", strings.Replace(oneDocument, `"id":"i",`, "", 1), `{"model_name":"shop","model_version":"1","outputs":[{"name":"score","datatype":"FP64","shape":[1],"data":[1]}]}`},
		{"POST", "/v2/repository/index", "", `[{"name":"shop","version":"1","state":"READY"}]`},
	} {
		status, got := send(t, http.DefaultClient, c.method, "http://"+r.address+c.path, c.body)
		require.Equal(t, 200, status, c.path)
		require.JSONEq(t, c.want, got, c.path)
	}
	_, got := r.get(t, "/v2/models/shop")
	assert.Contains(t, got, `"feature_names":["a"]`)
	_, got = r.get(t, "/metrics")
	assert.Contains(t, got, `lambdamart_requests_total{model="shop",version="1",protocol="http",code="ok"} 2`)
	assert.Contains(t, got, `lambdamart_documents_total{model="shop",version="1"} 2`)
}

func TestErrors(t *testing.T) {
	r := start(t, func(c *Config) { c.MaxRequestBytes = 4096 })
	for _, c := range []struct {
		path, body, want string
		status           int
	}{
		{"/v2/models/shap/infer", oneDocument, `did you mean "shop"`, 404},
		{"/v2/models/shop/versions/2/infer", oneDocument, "it has 1", 404},
		{"/v2/models/shop/none", oneDocument, "there is no POST", 404},
		{"/v2/models/shop/infer", "{", "not as it should be", 400},
		{"/v2/models/shop/infer", strings.Replace(oneDocument, "[1,1]", "[1,2]", 1), "the data has", 400},
		{"/v2/models/shop/infer", strings.Replace(oneDocument, "[5]}]", `[5]}],"outputs":[{"name":"rank"}]`, 1), `there is no output "rank"`, 400},
		{"/v2/models/shop/infer", strings.Repeat(" ", 5000), "4096 bytes", 413},
	} {
		status, got := r.post(t, c.path, c.body)
		requireError(t, c.status, c.want, status, got)
	}
	for _, path := range []string{"/v2/models/shap", "/v2/models/shap/ready", "/v2/models/shop/versions/2"} {
		status, got := r.get(t, path)
		requireError(t, 404, "", status, got)
	}
	assert.NotContains(t, r.log.String(), "panic")
	status, got := r.post(t, "/v2/models/shop/infer", oneDocument, "Content-Encoding", "br")
	requireError(t, 400, "Content-Encoding", status, got)
	status, got = r.post(t, "/v2/models/shop/infer", oneDocument, "Content-Encoding", "gzip")
	requireError(t, 400, "could not be read", status, got)
	status, got = r.post(t, "/v2/models/shop/infer", oneDocument, headerLength, "x")
	requireError(t, 400, headerLength, status, got)
	_, got = r.get(t, "/metrics")
	assert.Contains(t, got, `code="too_large"} 1`)
	assert.NotContains(t, got, "shap", "names that clients invent are no labels")
}

// clientCodec is the inverse of the server's codec.
type clientCodec struct{}

func (clientCodec) Name() string                       { return "proto" }
func (clientCodec) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (clientCodec) Unmarshal(b []byte, into any) error { *into.(*[]byte) = bytes.Clone(b); return nil }

// call calls a gRPC procedure.
func (r *running) call(procedure string, message []byte, token string) ([]byte, error) {
	client := &http.Client{Transport: &http.Transport{Protocols: new(http.Protocols)}}
	client.Transport.(*http.Transport).Protocols.SetUnencryptedHTTP2(true)
	defer client.CloseIdleConnections()
	c := connect.NewClient[[]byte, []byte](client, "http://"+r.address+grpcService+procedure, connect.WithGRPC(), connect.WithCodec(clientCodec{}))
	request := connect.NewRequest(&message)
	if token != "" {
		request.Header().Set("Authorization", "Bearer "+token)
	}
	response, err := c.CallUnary(context.Background(), request)
	if err != nil {
		return nil, err
	}
	return *response.Msg, nil
}

// inferMessage returns a ModelInferRequest with one document.
func inferMessage(model string) []byte {
	field := func(dst []byte, number protowire.Number, v []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(dst, number, protowire.BytesType), v)
	}
	in := field(field(field(nil, 1, []byte("features")), 2, []byte("FP64")), 3, []byte{1, 1})
	return field(field(field(nil, 1, []byte(model)), 5, in), 7, make([]byte, 8))
}

func TestGRPC(t *testing.T) {
	r := start(t, func(c *Config) { c.MaxRequestBytes = 4096 })
	got, err := r.call("ModelInfer", inferMessage("shop"), "")
	require.NoError(t, err)
	assert.Contains(t, string(got), "score")
	_, err = r.call("ModelInfer", inferMessage("shap"), "")
	assert.Equal(t, connect.CodeNotFound, connect.CodeOf(err))
	assert.ErrorContains(t, err, `did you mean "shop"`)
	_, err = r.call("ModelInfer", []byte{0xff}, "")
	assert.Equal(t, connect.CodeInvalidArgument, connect.CodeOf(err))
	_, err = r.call("ModelInfer", make([]byte, 5000), "")
	assert.Equal(t, connect.CodeResourceExhausted, connect.CodeOf(err))
	_, err = r.call("Nothing", nil, "")
	assert.Equal(t, connect.CodeNotFound, connect.CodeOf(err))
	status, body := r.post(t, grpcService+"ModelInfer", "{}")
	requireError(t, 404, "there is no procedure", status, body)
}

func TestToken(t *testing.T) {
	const token = "correct-horse-battery"
	r := start(t, func(c *Config) { c.Token = token })
	status, body := r.post(t, "/v2/models/shop/infer", oneDocument)
	requireError(t, 401, "token", status, body)
	status, body = r.post(t, "/v2/models/shop/infer", oneDocument, "Authorization", "Bearer wrong")
	requireError(t, 401, "token", status, body)
	status, _ = r.post(t, "/v2/models/shop/infer", oneDocument, "Authorization", "Bearer "+token)
	assert.Equal(t, 200, status)
	for path, want := range map[string]int{"/v2/health/live": 200, "/v2/health/ready": 200, "/metrics": 401, "/v2": 401, "/v2/health/live/../../v2": 401} {
		status, _ = r.get(t, path)
		assert.Equal(t, want, status, path)
	}
	_, err := r.call("ModelInfer", inferMessage("shop"), "")
	assert.Equal(t, connect.CodeUnauthenticated, connect.CodeOf(err))
	_, err = r.call("ServerReady", nil, "")
	require.NoError(t, err)
	_, err = r.call("ModelInfer", inferMessage("shop"), token)
	require.NoError(t, err)
}

// TestNoRequestIsLost replaces models under load: every request is answered with the score of a model that
// was in place.
func TestNoRequestIsLost(t *testing.T) {
	r := start(t, func(c *Config) { c.Reload = 5 * time.Millisecond })
	var wrong, answered atomic.Int64
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for last := 0.0; ; {
				select {
				case <-stop:
					return
				default:
				}
				status, body := r.post(t, "/v2/models/shop/infer", oneDocument)
				var got struct{ Outputs []struct{ Data []float64 } }
				if status != 200 || json.Unmarshal([]byte(body), &got) != nil || got.Outputs[0].Data[0] < last {
					wrong.Add(1)
					return
				}
				last = got.Outputs[0].Data[0]
				answered.Add(1)
			}
		})
	}
	for score := 2; score <= 40; score++ {
		replace(t, filepath.Join(r.folder, "shop.txt"), constant(t, float64(score)))
		time.Sleep(10 * time.Millisecond)
	}
	soon(t, func() bool {
		_, body := r.post(t, "/v2/models/shop/infer", oneDocument)
		return strings.Contains(body, `"data":[40]`)
	})
	soon(t, func() bool { return answered.Load() > 40 || wrong.Load() > 0 })
	close(stop)
	clients.Wait()
	assert.Zero(t, wrong.Load())
}

func TestLoadOnRequest(t *testing.T) {
	r := start(t, nil)
	replace(t, filepath.Join(r.folder, "shop.txt"), constant(t, 2))
	status, body := r.post(t, "/v2/repository/models/shop/load", "{}")
	assert.Equal(t, 200, status, body)
	_, body = r.post(t, "/v2/models/shop/infer", oneDocument)
	assert.Contains(t, body, `"data":[2]`)
	replace(t, filepath.Join(r.folder, "shop.txt"), []byte("garbage"))
	status, body = r.post(t, "/v2/repository/models/shop/load", "{}")
	requireError(t, 400, "shop.txt", status, body)
	_, body = r.post(t, "/v2/models/shop/infer", oneDocument)
	assert.Contains(t, body, `"data":[2]`)
	status, body = r.post(t, "/v2/repository/models/none/load", "{}")
	requireError(t, 404, "none", status, body)
}

// slow connects and sends only the beginning of a request for scores.
func (r *running) slow(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", r.address)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	_, err = fmt.Fprintf(c, "POST /v2/models/shop/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
	require.NoError(t, err)
	return c
}

// patience is a limit that only prevents tests from hanging.
const patience = time.Hour

// soon waits until a condition is true.
func soon(t *testing.T, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, patience, time.Millisecond)
}

func TestRequestsAreBounded(t *testing.T) {
	r := start(t, func(c *Config) { c.Timeout, c.MaxRequests = patience, 3 })
	held := []net.Conn{r.slow(t), r.slow(t), r.slow(t)}
	soon(t, func() bool { return r.inFlight.Load() == 3 })
	status, body := r.post(t, "/v2/models/shop/infer", oneDocument)
	requireError(t, 503, "try again later", status, body)
	_, err := r.call("ModelInfer", inferMessage("shop"), "")
	assert.Equal(t, connect.CodeUnavailable, connect.CodeOf(err))
	status, _ = r.get(t, "/v2/health/live")
	assert.Equal(t, 200, status, "health is not limited")
	for _, c := range held {
		c.Close()
	}
	soon(t, func() bool { return r.inFlight.Load() == 0 })
	status, _ = r.post(t, "/v2/models/shop/infer", oneDocument)
	assert.Equal(t, 200, status)
}

func TestSlowClientsAreEnded(t *testing.T) {
	r := start(t, func(c *Config) { c.Timeout = 100 * time.Millisecond })
	answer, _ := io.ReadAll(r.slow(t))
	assert.Contains(t, string(answer), "504 Gateway Timeout")
	soon(t, func() bool { return r.inFlight.Load() == 0 })
}

// TestHostileClients: bytes that are not a request end only their own connection.
func TestHostileClients(t *testing.T) {
	r := start(t, func(c *Config) { c.Timeout = patience })
	for _, text := range []string{
		"\x00\x01\x02", "GET / HTTP/9.9\r\n\r\n", strings.Repeat("A", 100_000),
		"POST /v2/models/shop/infer HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
		"POST /v2/models/shop/infer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + strings.Repeat("\xff", 1000),
		"GET /v2/models/" + strings.Repeat("%00/../", 1000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /v2 HTTP/1.1\r\nX: " + strings.Repeat("y", 1<<20),
	} {
		c, err := net.Dial("tcp", r.address)
		require.NoError(t, err)
		c.Write([]byte(text)) // the server may end the connection before it has all
		c.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, c)
		c.Close()
	}
	status, _ := r.post(t, "/v2/models/shop/infer", oneDocument)
	assert.Equal(t, 200, status)
	assert.NotContains(t, r.log.String(), "panic")
}

func TestConnectionsAreBounded(t *testing.T) {
	r := start(t, func(c *Config) { c.MaxConnections, c.Timeout = 2, patience })
	first, _ := r.slow(t), r.slow(t)
	answered := make(chan int)
	go func() {
		status, _ := send(t, &http.Client{Transport: new(http.Transport)}, "POST", "http://"+r.address+"/v2/models/shop/infer", oneDocument)
		answered <- status
	}()
	select {
	case <-answered:
		t.Error("it does not wait until a connection has ended")
	case <-time.After(100 * time.Millisecond):
	}
	first.Close()
	assert.Equal(t, 200, <-answered)
}

func TestGracefulEnd(t *testing.T) {
	r := start(t, func(c *Config) { c.Timeout, c.Drain = patience, time.Second })
	c := r.slow(t)
	soon(t, func() bool { return r.inFlight.Load() == 1 })
	r.stop()
	soon(t, func() bool {
		answer, err := http.Get("http://" + r.address + "/v2/health/ready")
		if err != nil {
			return true // on a busy machine it may stop listening before it is asked
		}
		answer.Body.Close()
		return answer.StatusCode == 503
	})
	soon(t, func() bool { // wait until it no longer listens
		probe, err := net.Dial("tcp", r.address)
		if err == nil {
			probe.Close()
		}
		return err != nil
	})
	fmt.Fprintf(c, "%s", strings.Repeat(" ", 998)+"}") // a request without inputs
	answer, err := io.ReadAll(c)
	require.NoError(t, err)
	assert.Contains(t, string(answer), "400 Bad Request", "the request in progress is answered")
	require.NoError(t, <-r.ended)
}

func TestPanicIsAnError(t *testing.T) {
	dir, log := t.TempDir(), new(safeBuffer)
	replace(t, filepath.Join(dir, "shop.txt"), constant(t, 1))
	s, err := New(Config{Models: dir, Log: slog.New(slog.NewTextHandler(log, nil))})
	require.NoError(t, err)
	s.meters = nil // causes a panic
	response := httptest.NewRecorder()
	s.Handler().ServeHTTP(response, httptest.NewRequest("POST", "/v2/models/shop/infer", strings.NewReader(oneDocument)))
	requireError(t, 500, "a defect of the server", response.Code, response.Body.String())
	assert.Contains(t, log.String(), "panic")
	assert.Zero(t, s.inFlight.Load())
}

// certificateFor writes a certificate for 127.0.0.1, and returns the pool that trusts it.
func certificateFor(t *testing.T, folder string, serial int64) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	replace(t, filepath.Join(folder, "cert.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	replace(t, filepath.Join(folder, "key.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	pool := x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool.AddCert(parsed)
	return pool
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	pool := certificateFor(t, dir, 1)
	r := start(t, func(c *Config) { c.CertFile, c.KeyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem") })
	ask := func(pool *x509.CertPool) (int, string) {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
		defer client.CloseIdleConnections()
		return send(t, client, "POST", "https://"+r.address+"/v2/models/shop/infer", oneDocument)
	}
	status, body := ask(pool)
	require.Equal(t, 200, status, body)
	renewed := certificateFor(t, dir, 2)
	require.NoError(t, r.Refresh())
	status, body = ask(renewed)
	require.Equal(t, 200, status, body)
	replace(t, filepath.Join(dir, "cert.pem"), []byte("garbage"))
	require.NoError(t, r.Refresh())
	status, _ = ask(renewed)
	require.Equal(t, 200, status, "the former certificate stays")
	assert.Contains(t, r.log.String(), "certificate not loaded")

	_, err := New(Config{Models: r.folder, CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")})
	require.ErrorContains(t, err, "cert.pem")
}
