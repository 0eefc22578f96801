export interface FailedTest {
  title: string;
  message: string;
}
export function failedTests(report: {
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
  }[];
}): FailedTest[];
export function describeFailures(failures: (FailedTest & { suite: string })[], root: string): string;
