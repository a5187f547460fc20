// Command pulumi-sdks-java writes the package of a schema in Java or C# with Pulumi's own generators: pulumi-sdks-java LANGUAGE
// SCHEMA FOLDER. These are the newest generators that the Go module proxy has; they need an earlier pulumi/pkg than the CLI.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi-java/pkg/codegen/java"
	"github.com/pulumi/pulumi/pkg/v3/codegen/dotnet"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	if len(os.Args) != 4 {
		exit(fmt.Errorf("usage: pulumi-sdks-java LANGUAGE SCHEMA FOLDER"))
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		exit(err)
	}
}

func exit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func write(language, schemaFile, folder string) error {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, alone{})
	if err != nil {
		return err
	}
	if diagnostics.HasErrors() {
		return diagnostics
	}
	files, err := generate(language, pkg)
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func generate(language string, pkg *schema.Package) (map[string][]byte, error) {
	switch language {
	case "java":
		return java.GeneratePackage("pulumi-language-java", pkg, nil, false)
	case "csharp":
		// The generator downloads a logo into the package.
		logo := httptest.NewServer(http.NotFoundHandler())
		defer logo.Close()
		pkg.LogoURL = logo.URL
		return dotnet.GeneratePackage("pulumi-language-dotnet", pkg, nil, nil)
	}
	return nil, fmt.Errorf("language is %q; allowed: java, csharp", language)
}
