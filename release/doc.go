// Command release builds the published files of a version: for each system, an archive with a static program,
// its licenses and its bill of materials, and a file with the checksums of all archives.
//
//	go run ./release output=dist
//	go run ./release output=dist targets=linux/amd64,windows/arm64 commit=v0.2.0 fresh=true
//
// It builds each program twice, from two checkouts of the commit in folders with different names, and fails
// unless both have the same bytes: then nothing depends on the machine, and anyone with the same version of
// Go can reproduce them. With fresh=true, the second build does not share the build cache of the first, which
// takes some minutes.
//
// An archive lambdamart_VERSION_OS_ARCH.tar.gz (.zip for Windows) contains
//
//	lambdamart         the program
//	LICENSE            its license
//	LICENSES.txt       the licenses of Go and of all modules in the program
//	sbom.cdx.json      the modules in the program, with versions and licenses, in CycloneDX 1.5
//	README.md, CHANGELOG.md
//
// SHA256SUMS is written beside the archives, for sha256sum --check. Files in archives have the time of the
// commit instead of the time of the build, which makes archives reproducible.
package main
