import { expect, test } from "vitest";
import { offsetMinutes } from "./time-difference.ts";

const winter = new Date("2026-01-15T22:30:00Z");
const summer = new Date("2026-07-15T22:30:00Z");

test.each([
  ["Africa/Accra", 0, 0],
  ["Asia/Kolkata", 330, 330],
  ["Europe/London", 0, 60],
  ["America/New_York", -300, -240],
  ["Pacific/Kiritimati", 840, 840],
  ["Asia/Kathmandu", 345, 345],
])("%s is %i minutes from UTC in winter and %i in summer, over midnight too", (zone, inWinter, inSummer) => {
  expect([offsetMinutes(zone, winter), offsetMinutes(zone, summer)]).toEqual([inWinter, inSummer]);
});
