/** Whether a path is a test's, a benchmark's or a fixture's by the customs of the common languages. */
export function isTestPath(path: string): boolean {
  return TEST_FOLDER.test(path) || TEST_FILE.test(path)
}

const TEST_FOLDER =
  /(?:^|\/)(?:tests?|__tests__|spec|specs|e2e|bench|benches|benchmarks?|testdata|fixtures|__fixtures__|__snapshots__|__mocks__|mocks|runtime-tests|integration-tests|test-utils?)\//i
const TEST_FILE =
  /(?:[._-](?:test|tests|spec|bench|snap)\.[^/]+|(?:^|\/)test_[^/]*|_test\.[^/.]+|(?:^|\/)\w*Tests?\.(?:java|kt|cs|scala|php))$/
