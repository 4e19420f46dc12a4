import { AppError } from "../../platform/app-error.ts";

export function emailTaken(reason: "email_taken" | "address_taken" = "email_taken"): AppError {
  return new AppError("email_taken", { reason, field: "email" });
}
