// STAND-IN for the SDK of the provider. The provider needs only the few types in this folder, for the components
// yaml/v2.ConfigGroup and helm/v4.Chart. The SDK has 22 MB of generated code for all kinds, which takes longer to compile
// than the rest of the provider.
module github.com/pulumi/pulumi-kubernetes/sdk/v4

go 1.26.0

require github.com/pulumi/pulumi/sdk/v3 v3.215.0
