import { picker, shuffle } from "./picker.ts";

export const randomPicker = picker("random-picker", "Any, by chance.", shuffle);
