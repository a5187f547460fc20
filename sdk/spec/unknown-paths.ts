import { words } from "./argument.ts";

const UnknownPaths = words(
  "UnknownPaths",
  "What a picker does with requests whose body it cannot read.",
  {
    Refuse: [
      "refuse",
      "It refuses them with 403 if the pool has rules that such a body goes around.",
    ],
    Pass: ["pass", "It passes them on unread, with the client's own model and fields."],
  },
);

export const unknownPathFields = {
  unknownPaths: UnknownPaths.optional().describe(
    "What the picker does with requests whose body it cannot read, such as text or a form that is not plain. It cannot apply rewrites, registrations and the removal of engines' fields to them. Default refuse.",
  ),
};
