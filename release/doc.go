// Command release builds what is published of a version: a static program for each system, in an archive
// with its licences and its bill of materials, and the checksums of all archives.
//
//	go run ./release output=dist
//	go run ./release output=dist targets=linux/amd64,windows/arm64 commit=v0.2.0 fresh=true
//
// It builds each program twice, from two checkouts of the commit in folders with different names, and fails
// unless both have the same bytes: nothing of the machine is in them, and anyone with the same version of Go
// can build them again. With fresh=true the second build shares no cache with the first one; that takes some
// minutes.
//
// An archive lambdamart_VERSION_OS_ARCH.tar.gz (.zip for Windows) has
//
//	lambdamart         the program
//	LICENSE            its licence
//	LICENSES.txt       the licences of Go and of all modules in the program
//	sbom.cdx.json      the modules in the program, with versions and licences, in CycloneDX 1.5
//	README.md, CHANGELOG.md
//
// That of wasip1/wasm has scorer.wasm, the module of release/scorer, in place of the program, and scorer.mjs.
//
// Beside the archives is SHA256SUMS, for sha256sum --check. Archives have the time of the commit in place of
// the time of the build, and so the same bytes each time.
package main
