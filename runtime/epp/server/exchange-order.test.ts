import fc from "fast-check";
import { expect, it } from "vitest";
import {
  announcing,
  body,
  Conversation,
  headers,
  post,
  responseBody,
} from "./conversation.fixture.ts";
import { ProtocolError } from "./exchange.ts";
import { prompt, response, rewrites, trailers } from "./exchange-messages.fixture.ts";

/** A client of the picker's port may send the messages of a request in any order, and end the stream at any of them. */

const message = fc.constantFrom<object>(
  post(),
  post({ "content-length": "30" }),
  headers({ ":method": "GET", ":path": "/v1/models" }, { endOfStream: true }),
  body(prompt, false),
  body(prompt),
  body("", true),
  body("not JSON"),
  response(),
  response({ "content-type": "text/event-stream" }),
  response({}, { endOfStream: true }),
  responseBody("data: {}\n\n"),
  responseBody('{"model":"target"}', true),
  trailers("requestTrailers"),
  trailers("responseTrailers"),
  {},
);

const mode = fc.constantFrom("NONE", "STREAMED", "BUFFERED", "FULL_DUPLEX_STREAMED");

it("M5: messages in any order, cut off anywhere, leave no request that counts as running", () => {
  const conversation = fc.record({
    messages: fc
      .tuple(
        fc.constantFrom<object[]>([], [post(), body(prompt)]),
        fc.array(message, { maxLength: 10 }),
      )
      .map(([begin, then]) => [...begin, ...then]),
    request: mode,
    response: mode,
    goesOn: fc.boolean(),
    rewritten: fc.boolean(),
  });
  let served = 0;
  fc.assert(
    fc.property(conversation, ({ messages, request, response, goesOn, rewritten }) => {
      const said = new Conversation({ goesOn, objects: rewritten ? { rewrites } : {} });
      const [first = {}, ...rest] = messages;
      try {
        said.say({ ...first, ...announcing(request, response) });
        for (const each of rest) said.say(each);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError);
      }
      said.close();
      for (const completed of said.events.unwatched) completed();
      const { running, received, completed, reported } = said.events;
      served += completed.length;
      const unwatched = said.events.unwatched.length;
      expect({ running, reported }).toEqual({ running: unwatched, reported: [] });
      expect(completed.length).toBeLessThanOrEqual(received.length);
      said.close();
      expect(said.events.running).toBe(unwatched);
    }),
  );
  expect(served).toBeGreaterThan(30);
});
