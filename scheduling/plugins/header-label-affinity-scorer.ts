import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const headerLabelAffinityScorer = pluginType({
  type: "header-label-affinity-scorer",
  kinds: ["scorer"],
  summary: "Scores pods 1 if a label equals a header of the request, and 0 otherwise.",
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
