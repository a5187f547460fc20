/** Default configuration of the picker of llm-d-router, as an EndpointPickerConfig (JSON is YAML). */
export const upstreamProfile = JSON.stringify({
  apiVersion: "llm-d.ai/v1alpha1",
  kind: "EndpointPickerConfig",
  plugins: [
    { type: "queue-scorer" },
    { type: "kv-cache-utilization-scorer" },
    { type: "prefix-cache-scorer" },
  ],
  schedulingProfiles: [
    {
      name: "default",
      plugins: [
        { pluginRef: "queue-scorer", weight: 2 },
        { pluginRef: "kv-cache-utilization-scorer", weight: 2 },
        { pluginRef: "prefix-cache-scorer", weight: 3 },
      ],
    },
  ],
});
