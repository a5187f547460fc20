// Command pulumi-sdks writes the package of a schema for a language with Pulumi's own generators: pulumi-sdks LANGUAGE SCHEMA
// FOLDER. The published language hosts call the same functions for `pulumi package gen-sdk`.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	if len(os.Args) != 4 {
		exit(fmt.Errorf("usage: pulumi-sdks LANGUAGE SCHEMA FOLDER"))
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
	pkg, diagnostics, err := schema.BindSpec(spec, alone{}, schema.ValidationOptions{})
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
	case "python":
		return python.GeneratePackage("pulumi-language-python", pkg, nil, nil)
	case "go":
		return gogen.GeneratePackage("pulumi-language-go", pkg, nil)
	}
	return nil, fmt.Errorf("language is %q; allowed: python, go", language)
}
