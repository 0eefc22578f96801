// All ids shared by the manifest and the code. A test compares package.json with this file.

export const EXTENSION_ID = "functez.functez";

export const COMMANDS = {
  start: "functez.start",
  startWithoutContainer: "functez.startWithoutContainer",
  stop: "functez.stop",
  restart: "functez.restart",
  reset: "functez.reset",
  deposit: "functez.deposit",
  withdraw: "functez.withdraw",
  createAccount: "functez.createAccount",
  importAccount: "functez.importAccount",
  deleteAccount: "functez.deleteAccount",
  copySecretKey: "functez.copySecretKey",
  transfer: "functez.transfer",
  newFunction: "functez.newFunction",
  openExample: "functez.openExample",
  deploy: "functez.deploy",
  deployAs: "functez.deployAs",
  redeployAll: "functez.redeployAll",
  toggleDeployOnSave: "functez.toggleDeployOnSave",
  call: "functez.call",
  sendRequest: "functez.sendRequest",
  runAgain: "functez.runAgain",
  editRequest: "functez.editRequest",
  copyRequest: "functez.copyRequest",
  chooseEnvironment: "functez.chooseEnvironment",
  openLook: "functez.openLook",
  saveResponse: "functez.saveResponse",
  openOperation: "functez.openOperation",
  debugOperation: "functez.debugOperation",
  gasProfile: "functez.gasProfile",
  goToLastWrite: "functez.goToLastWrite",
  valueHistory: "functez.valueHistory",
  debugCall: "functez.debugCall",
  releaseHeld: "functez.releaseHeld",
  goToStep: "functez.goToStep",
  toggleCoverage: "functez.toggleCoverage",
  copyHash: "functez.copyHash",
  filterOperations: "functez.filterOperations",
  clearOperations: "functez.clearOperations",
  loadMoreOperations: "functez.loadMoreOperations",
  findKey: "functez.findKey",
  copyKey: "functez.copyKey",
  copyStoredValue: "functez.copyStoredValue",
  editStoredValue: "functez.editStoredValue",
  deleteStoredValue: "functez.deleteStoredValue",
  useAccount: "functez.useAccount",
  showLog: "functez.showLog",
  showFunctionLogs: "functez.showFunctionLogs",
  openTerminal: "functez.openTerminal",
  openExplorer: "functez.openExplorer",
  copyEndpoint: "functez.copyEndpoint",
  copyAddress: "functez.copyAddress",
  copyUrl: "functez.copyUrl",
  openSource: "functez.openSource",
  openWalkthrough: "functez.openWalkthrough",
  openSettings: "functez.openSettings",
  openConfigFile: "functez.openConfigFile",
  takeSnapshot: "functez.takeSnapshot",
  restoreSnapshot: "functez.restoreSnapshot",
  bakeBlock: "functez.bakeBlock",
  chooseNetwork: "functez.chooseNetwork",
  showProblem: "functez.showProblem",
  showCode: "functez.showCode",
  showValue: "functez.showValue",
  showOperation: "functez.showOperation",
  addTypes: "functez.addTypes",
  refresh: "functez.refresh",
  menu: "functez.menu",
} as const;

export const VIEWS = {
  container: "functez",
  sandbox: "functez.sandbox",
  accounts: "functez.accounts",
  functions: "functez.functions",
  operations: "functez.operations",
} as const;

/** Context keys for `when` clauses. */
export const CONTEXT_KEYS = {
  /** stopped, starting, running, stopping or failed */
  state: "functez.state",
  /** Container engine unreachable: offers the mode without one. */
  containerMissing: "functez.containerMissing",
  /** A failed sandbox was running before. */
  hasEnded: "functez.hasEnded",
  /** A debug session holds an operation. */
  isHeld: "functez.isHeld",
  /** Done at least once since the window opened, or found done. */
  hasStarted: "functez.hasStarted",
  hasAccount: "functez.hasAccount",
  hasDeposited: "functez.hasDeposited",
  hasDeployed: "functez.hasDeployed",
  hasCalled: "functez.hasCalled",
} as const;

export const SETTINGS = {
  section: "functez",
  mode: "sandbox.mode",
  autoStart: "sandbox.autoStart",
  serverPort: "sandbox.serverPort",
  layer1Port: "sandbox.layer1Port",
  runtimePort: "sandbox.runtimePort",
  configFile: "sandbox.configFile",
  logLevel: "sandbox.logLevel",
  blockTime: "sandbox.blockTime",
  reloadGrace: "sandbox.reloadGrace",
  network: "network",
  codeLens: "codeLens.enabled",
  checkOnSave: "check.onSave",
  deployOnSave: "deploy.onSave",
  mcp: "mcp.enabled",
} as const;

export const SCHEMES = {
  code: "functez-code",
  value: "functez-value",
  request: "functez-request",
  response: "functez-response",
} as const;
export const TASK_TYPE = "functez";
export const PROBLEM_MATCHERS = { once: "functez", watch: "functez-watch" } as const;
export const DEBUG_TYPE = "functez";
export const WALKTHROUGH = "functez.firstSteps";

/** Offers `functez mcp` to the editor. */
export const MCP_PROVIDER = "functez.mcp";
