# Serves the models of a folder: docker build -t lambdamart . && docker run --rm -p 8080:8080 -v ./models:/models:ro lambdamart
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /lambdamart ./cmd/lambdamart

FROM scratch
COPY --from=build /lambdamart /lambdamart
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["/lambdamart", "serve", "models=/models", "address=:8080", "log_json=true"]
