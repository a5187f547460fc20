import { isFinishedByTheNext } from "./interrupted.behaviour.ts";

// The soak test interrupts after every single write.
isFinishedByTheNext(7);
