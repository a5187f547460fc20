import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";

export const headerLabelAffinityScorer = pluginType({
  type: "header-label-affinity-scorer",
  kinds: ["scorer"],
  summary: "1 for pods whose label equals a request header, 0 for others.",
  parameters: z.strictObject({ headerName: z.string().min(1), labelKey: z.string().min(1) }),
  create({ headerName, labelKey }) {
    const header = headerName.toLowerCase();
    return {
      scorer: {
        score({ request }, endpoints) {
          const wanted = request.headers.get(header) || undefined;
          return endpoints.map(({ labels }) =>
            wanted !== undefined && labels[labelKey] === wanted ? 1 : 0,
          );
        },
      },
    };
  },
});
