// Stands in for dependencies of dockerode that are unused here and cannot be bundled: its own SSH client
// (connections go through the user's `ssh`) and the build sessions of BuildKit (images are built without them).
module.exports = {};
