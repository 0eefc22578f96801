// Style sheets become a file of their own beside the script.
declare module "*.css";
