#!/bin/sh
# Creates a kind cluster with a local registry, and pushes the package's image to it.
# Follows https://kind.sigs.k8s.io/docs/user/local-registry/
set -eu

usage() {
  cat <<TEXT
Usage: sh scripts/kind.sh [--dry-run] [--delete] [--name NAME] [--port PORT]

Creates a kind cluster and a registry at localhost:PORT that the cluster pulls from, installs what the quickstart
needs, and pushes the image there. Needs docker, kind, kubectl, helm and npm.

  --dry-run     prints the commands and runs none
  --delete      deletes the cluster and the registry
  --name NAME   name of the cluster (default: pulumi-inference)
  --port PORT   port of the registry on this machine (default: 5001)
TEXT
}

name=pulumi-inference
port=5001
dry=
delete=
while [ $# -gt 0 ]; do
  case "$1" in
    --dry-run) dry=yes ;;
    --delete) delete=yes ;;
    --name | --port)
      [ $# -gt 1 ] || { echo "$1: a value is missing" >&2; exit 2; }
      case "$1" in --name) name=$2 ;; *) port=$2 ;; esac
      shift
      ;;
    --help) usage; exit 0 ;;
    *) echo "$1: is not an option" >&2; usage >&2; exit 2 ;;
  esac
  shift
done
case "$name" in '' | *[!a-z0-9-]* | -*) echo "--name: is '$name'; allowed: a-z, 0-9 and -" >&2; exit 2 ;; esac
case "$port" in '' | *[!0-9]*) echo "--port: is '$port'; allowed: a number" >&2; exit 2 ;; esac
registry="$name-registry"
context="kind-$name"

# Prints a command, and runs it unless this is a dry run.
run() {
  printf '+ %s\n' "$*"
  [ -n "$dry" ] || "$@"
}

# The same with a text on standard input.
run_with() {
  text=$1
  shift
  printf '+ %s <<TEXT\n%s\nTEXT\n' "$*" "$text"
  [ -n "$dry" ] || printf '%s\n' "$text" | "$@"
}

if [ -n "$delete" ]; then
  run kind delete cluster --name "$name"
  run docker rm --force "$registry"
  exit 0
fi

if [ -z "$dry" ]; then
  for program in docker kind kubectl helm npm; do
    command -v "$program" >/dev/null || { echo "$program is not on PATH" >&2; exit 1; }
  done
fi

run docker run --detach --restart=always --publish "127.0.0.1:$port:5000" --network bridge --name "$registry" registry:2
run_with 'kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
containerdConfigPatches:
  - |-
    [plugins."io.containerd.grpc.v1.cri".registry]
      config_path = "/etc/containerd/certs.d"' kind create cluster --name "$name" --config -

# Nodes reach the registry by its name in Docker's network, under the address that images have on this machine.
folder="/etc/containerd/certs.d/localhost:$port"
run docker exec "$name-control-plane" mkdir -p "$folder"
run_with "[host.\"http://$registry:5000\"]" docker exec -i "$name-control-plane" cp /dev/stdin "$folder/hosts.toml"
run docker network connect kind "$registry"

run helm upgrade --install lws oci://registry.k8s.io/lws/charts/lws --version 0.9.0 --kube-context "$context" -n lws-system --create-namespace
run kubectl --context "$context" apply --server-side -f https://github.com/kubernetes-sigs/gateway-api/releases/download/v1.4.1/standard-install.yaml
run kubectl --context "$context" apply --server-side -f https://github.com/kubernetes-sigs/gateway-api-inference-extension/releases/download/v1.5.0/v1-manifests.yaml
run helm upgrade --install agentgateway-crds oci://cr.agentgateway.dev/charts/agentgateway-crds --version v1.1.0 --kube-context "$context" -n agentgateway-system --create-namespace
run helm upgrade --install agentgateway oci://cr.agentgateway.dev/charts/agentgateway --version v1.1.0 --kube-context "$context" -n agentgateway-system --set inferenceExtension.enabled=true

run npm run bootstrap -- --registry "localhost:$port" --tls-verify=false
