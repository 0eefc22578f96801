// Stands in for dependencies of dockerode that are not used here and do not survive bundling: its own SSH client
// (connections go through the user's `ssh`) and the build sessions of BuildKit (images are built without).
module.exports = {};
