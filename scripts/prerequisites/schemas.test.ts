import { expect, it } from "vitest";
import { objectSchemas } from "../../sdk/schemas/object-schemas.ts";
import { ownSchemas } from "./schemas.ts";

it("The packed schemas of this project's kinds equal their CRDs; npm run tool prerequisites packs them", () => {
  expect(objectSchemas().kinds).toMatchObject(ownSchemas());
});
