#!/bin/sh
# Makes the certificate of the pickers of east and west, and gives it to both: Secret qwen-picker, and ConfigMap
# picker-authorities with what it is verified by. For trials: it lasts 30 days, and one authority stands for itself.
set -eu
namespace=${1:-default}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=qwen-epp \
  -addext "subjectAltName=DNS:qwen-epp.$namespace.svc" \
  -keyout "$folder/tls.key" -out "$folder/tls.crt" 2>/dev/null

for context in east west; do
  kubectl --context "$context" --namespace "$namespace" create secret tls qwen-picker \
    --cert "$folder/tls.crt" --key "$folder/tls.key"
  kubectl --context "$context" --namespace "$namespace" create configmap picker-authorities \
    --from-file "ca.crt=$folder/tls.crt"
done
