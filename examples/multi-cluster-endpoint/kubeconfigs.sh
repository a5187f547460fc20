#!/bin/sh
# Gives the controller in hub a kubeconfig of east and of west, each with the token of its ServiceAccount there. Run it
# after `pulumi up` has made the ServiceAccounts. The tokens last as long as the clusters allow, a year at most.
set -eu
namespace=${1:-inference-system}
account=inference-multi-cluster-controller

for context in east west; do
  cluster() {
    kubectl config view --raw --flatten --minify --context "$context" \
      --output "jsonpath={.clusters[0].cluster.$1}"
  }
  token=$(kubectl --context "$context" --namespace "$namespace" create token "$account" --duration 8760h)
  kubectl --context hub --namespace "$namespace" create secret generic "cluster-$context" \
    --from-file kubeconfig=/dev/stdin <<EOF
apiVersion: v1
kind: Config
current-context: $context
contexts:
  - name: $context
    context: { cluster: $context, user: $account }
clusters:
  - name: $context
    cluster: { server: "$(cluster server)", certificate-authority-data: "$(cluster certificate-authority-data)" }
users:
  - name: $account
    user: { token: "$token" }
EOF
done
