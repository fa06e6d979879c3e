/** What a command file exports, and what it may touch. */
export interface CommandIo {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export interface Command {
  /** One line for `--help`. */
  readonly summary: string;
  /** All of its help. */
  readonly usage: string;
  /** Resolves with the exit code; throws `AppError`, whose code decides it. */
  run(args: readonly string[], io: CommandIo): Promise<number>;
}
