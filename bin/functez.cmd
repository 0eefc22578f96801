@echo off
setlocal
set ELECTRON_RUN_AS_NODE=1
if "%FUNCTEZ_NODE%"=="" set FUNCTEZ_NODE=node
"%FUNCTEZ_NODE%" "%~dp0..\dist\functez.mjs" %*
