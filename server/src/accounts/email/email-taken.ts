import { AppError } from "../../platform/http/app-error.ts";

export function emailTaken(reason: "email_taken" | "address_taken" = "email_taken"): AppError {
  return new AppError("email_taken", { reason, field: "email" });
}
