package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/ropeline/ropeline/core/locale"
)

//go:embed assets
var assetFiles embed.FS

const assetPrefix = "/assets/"

// assetHash names the whole tree of assets, not each file: modules import one
// another by relative path, and one hash for all keeps those imports true
// without rewriting a single line of what was written.
var assetHash = hashAssets(assetFiles, textFiles) // texts too: scripts say them

func hashAssets(trees ...fs.FS) string {
	h := sha256.New()
	for _, files := range trees {
		addTree(h, files)
	}
	for _, lang := range locale.Languages {
		h.Write(locale.Of(lang).JSON())
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func addTree(h hash.Hash, files fs.FS) {
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(b)
		h.Write([]byte(name + "\x00"))
		h.Write(sum[:])
		return nil
	})
	if err != nil {
		panic("web: embedded files: " + err.Error())
	}
}

// assetURL is the address of an asset, given its path below assets/.
func assetURL(name string) string { return assetPrefix + assetHash + "/" + name }

// scriptURL is the address of a module in one language. The language is in the
// path because modules import one another by relative path: that way each of
// them gets the visitor's texts as a plain static import, a shared cache keeps
// every language apart, and no module has to wait for texts at run time (Safari
// has had errors where two modules wait for a third).
func scriptURL(lang, name string) string { return assetPrefix + assetHash + "/" + lang + "/" + name }

// textModule is written by the server: what scripts say, and how numbers, money
// and times are written, in the language of its address.
const textModule = "js/texts.js"

var textModules = makeTextModules()

func makeTextModules() map[string][]byte {
	out := map[string][]byte{}
	for lang, s := range speeches {
		texts, err := json.Marshal(s.Texts)
		if err != nil {
			panic("web: texts of " + lang + ": " + err.Error())
		}
		out[lang] = fmt.Appendf(nil, "export const format = %s;\nexport const texts = %s;\n", s.Format.JSON(), texts)
	}
	return out
}

// asset returns a file below assets/, or below {language}/ where it is a script.
func asset(name string) ([]byte, error) {
	lang := locale.Fallback
	if l, rest, ok := strings.Cut(name, "/"); ok && locale.Known(l) && strings.HasPrefix(rest, "js/") {
		lang, name = l, rest
	}
	if name == textModule {
		return textModules[lang], nil
	}
	return assetFiles.ReadFile("assets/" + name)
}

// serveAsset answers /assets/{hash}/{path}. With another hash than ours (a page
// of the version before or after, during a rolling update) it gives what we have
// but lets nobody keep it, since the address promises something else.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	hash, name, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, assetPrefix), "/")
	if !ok || name == "" || path.Clean(name) != name {
		notFound(w)
		return
	}
	b, err := asset(name)
	if err != nil {
		notFound(w)
		return
	}
	policy := cacheImmutable
	if hash != assetHash {
		policy = "no-store"
	}
	writeAsset(w, r, name, b, policy)
}

// serveFavicon answers the address browsers try by themselves.
func serveFavicon(w http.ResponseWriter, r *http.Request) {
	b, err := assetFiles.ReadFile("assets/icon.svg")
	if err != nil {
		notFound(w)
		return
	}
	writeAsset(w, r, "icon.svg", b, "public, max-age=86400")
}

func writeAsset(w http.ResponseWriter, r *http.Request, name string, body []byte, policy string) {
	h := w.Header()
	// By extension and never by content or by the machine's mime.types: a
	// script served as text/plain is refused by browsers.
	h.Set("Content-Type", contentType(name))
	h.Set("Cache-Control", policy)
	h.Set("ETag", `"`+assetHash+`"`)
	if r.Header.Get("If-None-Match") == `"`+assetHash+`"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a failure here is the client gone
	}
}

func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".webmanifest":
		return "application/manifest+json"
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}

func notFound(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, "There is no such file.", http.StatusNotFound)
}
