#include "cli/cli.h"
int cli_video(int argc, char **argv) { (void)argc; (void)argv; return CLI_EXIT_USAGE; }
