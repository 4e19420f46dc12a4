import {
  ConfigError as ServiceConfigError,
  readConfig as readServiceConfig,
  type Config,
} from "@farline/server/platform/settings/config.ts";
import {
  ConfigError as ExchangeConfigError,
  readConfig as readExchangeConfig,
  type ExchangeConfig,
} from "@farline/voice/config.ts";
import { CommandError } from "../command.ts";
import { readInstallation } from "../machine/installation.ts";
import { DataDirectoryError, readDataDirectory } from "../start/data-directory.ts";
import { ENV_FILE, envFileWarnings } from "../start/env-file.ts";
import { planParts, readAddresses, refuseBuiltInDatabase, SettingsError } from "../start/settings.ts";
import { fault, ok, warning, type Finding } from "./findings.ts";

/** Programs that a process manager runs individually, without `npm start`. */
export const PROGRAMS = ["service", "exchange"] as const;
export type Program = (typeof PROGRAMS)[number];

type Env = Readonly<Record<string, string | undefined>>;

/** The programs' settings; null for a program that does not run here or cannot start. */
interface Examined {
  readonly service: Config | null;
  readonly exchange: ExchangeConfig | null;
  /** Null if `npm start` is not used. */
  readonly dataDirectory: string | null;
  readonly findings: readonly Finding[];
}

/**
 * Reads the settings of one program that runs with this environment or, without one, of all programs as `npm start` runs them. Each
 * program's own reader validates them.
 */
export function examineSettings(env: Env, program: Program | null): Examined {
  if (program !== null) return { ...examine({ [program]: env }), dataDirectory: null };
  try {
    refuseBuiltInDatabase(env);
    const addresses = readAddresses(env);
    const data = readDataDirectory(env["DATA_DIR"] || "./data");
    const plans = planParts(env, addresses, data, readInstallation(env).databaseUrl);
    const planned = Object.fromEntries(plans.map(({ name, env: assigned }) => [name, assigned]));
    const { findings, ...examined } = examine(planned);
    return { ...examined, findings: [...findings, ...envFileWarnings(ENV_FILE).map(warning)], dataDirectory: data.path };
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof CommandError || error instanceof DataDirectoryError)) throw error;
    return { service: null, exchange: null, dataDirectory: null, findings: [fault(error.message)] };
  }
}

function examine(envs: { readonly service?: Env; readonly exchange?: Env }): Omit<Examined, "dataDirectory"> {
  const findings: Finding[] = [];
  const read = <Settings>(name: Program, env: Env | undefined, reader: (env: Env) => Settings): Settings | null => {
    if (env === undefined) return null;
    try {
      const settings = reader(env);
      findings.push(ok(`The settings of the ${name} are valid.`));
      return settings;
    } catch (error) {
      if (!(error instanceof ServiceConfigError || error instanceof ExchangeConfigError)) throw error;
      findings.push(fault(error.message));
      return null;
    }
  };
  const service = read("service", envs.service, readServiceConfig);
  const exchange = read("exchange", envs.exchange, readExchangeConfig);
  findings.push(...(service?.warnings ?? []).map(warning));
  return { service, exchange, findings };
}
