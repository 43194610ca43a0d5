/* SPDX-License-Identifier: Apache-2.0 */
/* What pages send: good messages are understood, all others refused, whatever they are. */
#include "view/message.h"

#include "tests.h"

static AfxiMessage read_text(const char *text, AfxiCommand *command) {
    const char *reason = NULL;
    AfxiMessage message = afxi_message_read(text, strlen(text), command, &reason);
    assert_non_null(reason);
    return message;
}

static void test_good(void **state) {
    (void)state;
    AfxiCommand command;
    static const struct {
        const char *text;
        AfxiCommandKind kind;
    } plain[] = {{"{\"type\":\"play\"}", AFXI_COMMAND_PLAY},       {"{\"type\":\"pause\"}", AFXI_COMMAND_PAUSE},
                 {"{\"type\":\"reset\"}", AFXI_COMMAND_RESET},     {"{\"type\":\"reload\"}", AFXI_COMMAND_RELOAD},
                 {"{\"type\":\"release\"}", AFXI_COMMAND_RELEASE}, {"{\"type\":\"hash\"}", AFXI_COMMAND_HASH}};
    for (size_t k = 0; k < COUNT(plain); k++) {
        assert_int_equal(read_text(plain[k].text, &command), AFXI_MESSAGE_COMMAND);
        assert_int_equal(command.kind, plain[k].kind);
    }
    assert_int_equal(read_text("{\"type\":\"ack\"}", &command), AFXI_MESSAGE_ACK);
    assert_int_equal(read_text("{\"type\":\"step\"}", &command), AFXI_MESSAGE_COMMAND);
    assert_int_equal(command.count, 1);
    assert_int_equal(read_text("{\"type\":\"step\",\"count\":25}", &command), AFXI_MESSAGE_COMMAND);
    assert_int_equal(command.count, 25);
    assert_int_equal(read_text("{\"type\":\"speed\",\"value\":0.25}", &command), AFXI_MESSAGE_COMMAND);
    assert_true(command.value == 0.25);
    assert_int_equal(read_text("{\"type\":\"set\",\"name\":\"k\",\"value\":\"12\"}", &command), AFXI_MESSAGE_COMMAND);
    assert_string_equal(command.name, "k");
    assert_string_equal(command.text, "12");
    assert_int_equal(read_text("{\"type\":\"show\",\"colour\":\"speed\"}", &command), AFXI_MESSAGE_COMMAND);
    assert_int_equal(command.colour, AFXI_COLOUR_SPEED);
    assert_int_equal(command.reactions, -1);
    assert_int_equal(read_text("{\"type\":\"show\",\"reactions\":false}", &command), AFXI_MESSAGE_COMMAND);
    assert_int_equal(command.colour, -1);
    assert_int_equal(command.reactions, 0);
    assert_int_equal(command.contacts, -1);
    assert_int_equal(read_text("{\"type\":\"show\",\"contacts\":true}", &command), AFXI_MESSAGE_COMMAND);
    assert_true(command.colour == -1 && command.reactions == -1 && command.contacts == 1);
    assert_int_equal(read_text("{\"type\":\"drag\",\"body\":7,\"point\":[1,2,3],\"target\":[4,5.5,-6]}", &command),
                     AFXI_MESSAGE_COMMAND);
    assert_int_equal(command.body, 7);
    assert_true(command.point.y == 2 && command.target.y == 5.5 && command.target.z == -6);
    assert_int_equal(read_text("{\"type\":\"joint\",\"joint\":3,\"axis\":1,\"value\":-0.5}", &command),
                     AFXI_MESSAGE_COMMAND);
    assert_true(command.kind == AFXI_COMMAND_JOINT && command.body == 3 && command.count == 1 && command.value == -0.5);
    assert_int_equal(read_text("{\"type\":\"drive\",\"drive\":2,\"value\":4}", &command), AFXI_MESSAGE_COMMAND);
    assert_true(command.kind == AFXI_COMMAND_DRIVE && command.body == 2 && command.value == 4);
}

static void test_bad(void **state) {
    (void)state;
    AfxiCommand command;
    static const char *const texts[] = {"",
                                        "{",
                                        "[]",
                                        "3",
                                        "null",
                                        "{}",
                                        "{\"type\":null}",
                                        "{\"type\":\"fly\"}",
                                        "{\"type\":\"step\",\"count\":0}",
                                        "{\"type\":\"step\",\"count\":1.5}",
                                        "{\"type\":\"step\",\"count\":100000000}",
                                        "{\"type\":\"speed\"}",
                                        "{\"type\":\"speed\",\"value\":0}",
                                        "{\"type\":\"speed\",\"value\":\"1\"}",
                                        "{\"type\":\"set\",\"name\":\"k\"}",
                                        "{\"type\":\"set\",\"name\":1,\"value\":\"1\"}",
                                        "{\"type\":\"show\",\"colour\":\"red\"}",
                                        "{\"type\":\"show\",\"reactions\":1}",
                                        "{\"type\":\"show\",\"contacts\":\"yes\"}",
                                        "{\"type\":\"joint\",\"joint\":1,\"axis\":6,\"value\":0}",
                                        "{\"type\":\"joint\",\"joint\":1,\"axis\":0}",
                                        "{\"type\":\"drive\",\"drive\":-1,\"value\":0}",
                                        "{\"type\":\"drive\",\"drive\":1,\"value\":1e300}",
                                        "{\"type\":\"drag\",\"body\":-1,\"point\":[1,2,3],\"target\":[4,5,6]}",
                                        "{\"type\":\"drag\",\"body\":1,\"point\":[1,2],\"target\":[4,5,6]}",
                                        "{\"type\":\"drag\",\"body\":1,\"point\":[1,2,3],\"target\":[4,5,1e12]}",
                                        "{\"type\":\"drag\",\"body\":4294967295,\"point\":[1,2,3],\"target\":[4,5,6]}",
                                        "{\"type\":\"play\"} x",
                                        "{\"type\":\"play\",\"type\":\"pause\"}",
                                        "\xff\xfe"};
    for (size_t k = 0; k < COUNT(texts); k++) {
        if (read_text(texts[k], &command) != AFXI_MESSAGE_BAD) {
            fail_msg("this was taken: %s", texts[k]);
        }
    }
    char *large = malloc(AFXI_MESSAGE_MOST + 2);
    memset(large, ' ', AFXI_MESSAGE_MOST + 1);
    memcpy(large, "{\"type\":\"play\"}", 15);
    const char *reason;
    assert_int_equal(afxi_message_read(large, AFXI_MESSAGE_MOST, &command, &reason), AFXI_MESSAGE_COMMAND);
    assert_int_equal(afxi_message_read(large, AFXI_MESSAGE_MOST + 1, &command, &reason), AFXI_MESSAGE_BAD);
    free(large);
}

/* Good messages with bytes changed, cut or doubled: whatever comes out, it is one of the three answers. */
static void test_mangled(void **state) {
    (void)state;
    static const char good[] = "{\"type\":\"drag\",\"body\":7,\"point\":[1,2,3],\"target\":[4,5.5,-6]}";
    uint64_t seed = 12345;
    uint32_t taken = 0;
    for (int round = 0; round < 20000; round++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (int k = 0; k < 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[(seed >> 33) % (sizeof good - 1)] = (char)(seed >> 56);
        }
        AfxiCommand command;
        const char *reason;
        size_t size = (seed >> 20) % sizeof good;
        AfxiMessage message = afxi_message_read(text, size, &command, &reason);
        assert_true(message <= AFXI_MESSAGE_BAD);
        if (message == AFXI_MESSAGE_COMMAND) {
            taken++;
            assert_true(isfinite(command.target.x + command.target.y + command.target.z));
        }
    }
    assert_true(taken < 1000);
}

int run_message_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_mangled),
    };
    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
