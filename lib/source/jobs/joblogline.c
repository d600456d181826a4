/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands around a message: stamps of time, ranks, hosts, as srun -l, mpirun --tag-output and
 * --timestamp-output, pdsh and clush, torchrun, syslog (RFC 3164, RFC 5424), journalctl, dmesg,
 * Docker and kubectl write them, and NCCL, UCX and MVAPICH themselves.  What is none of these is
 * passed over, a word at a time.
 */
#include "source/jobs/joblog.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/nodename.h"
#include "source/source.h"

#define DIGITS    "0123456789"
#define LOWER     "abcdefghijklmnopqrstuvwxyz"
#define LEAP_SPAN 8     /* years between two of 29 February, at the most */
#define SKEW      86400 /* seconds: a clock that goes before ours, another zone */
#define EPOCH_MIN 9     /* digits of seconds since 1970; of those since boot there are fewer */

/* ---- times ---------------------------------------------------------------------------------- */

/* One digit at least. */
static bool read_digits(const char **t, size_t max, int *out)
{
	size_t n = 0;

	for (*out = 0; n < max && isdigit((unsigned char)**t); n++)
		*out = *out * 10 + *(*t)++ - '0';
	return n;
}

/* Of a time: that of this process, by tm_gmtoff ahead of UTC, or another: it is not known then. */
enum zone { ZONE_OURS, ZONE_TOLD, ZONE_OTHER };

/* What follows a time: "Z", " UTC", "+01:00", " +0100", " CET". */
static enum zone read_zone(const char **t, long *ahead)
{
	static const char others[] = " EST EDT CST CDT MST MDT PST PDT WET WEST CET CEST EET EEST "
				     "MSK BST IST JST KST ";
	const char *zone = *t + (**t == ' ');
	size_t n = strcspn(zone, " ]:\t");
	int hours = 0, minutes = 0;
	char word[8];

	if (*zone == '-' || *zone == '+') {
		const char *number = zone + 1;
		size_t digits = strspn(number, DIGITS);

		if (digits != 4 && (digits != 2 || (zone > *t && number[2] != ':')))
			return ZONE_OURS;
		read_digits(&number, 2, &hours);
		number += *number == ':';
		read_digits(&number, 2, &minutes);
		*t = number;
		*ahead = (hours * 60 + minutes) * (*zone == '-' ? -60 : 60);
		/* of the zones that there are */
		return hours > 14 || minutes > 59 ? ZONE_OTHER : ZONE_TOLD;
	}
	snprintf(word, sizeof(word), " %.*s ", (int)n, zone);
	if (!n || n > 4 || (!strstr(" Z UTC GMT ", word) && !strstr(others, word)))
		return ZONE_OURS;
	*t = zone + n;
	if (!strstr(others, word))
		return ZONE_TOLD;
	tzset();
	word[n + 1] = '\0';
	return strcmp(word + 1, tzname[0]) && strcmp(word + 1, tzname[1]) ? ZONE_OTHER : ZONE_OURS;
}

/* "12:11:38", "12:11:38.5", "12:11:38,123", and its zone */
static bool read_clock(const char **t, struct tm *tm, enum zone *zone)
{
	if (!read_digits(t, 2, &tm->tm_hour) || *(*t)++ != ':' || !read_digits(t, 2, &tm->tm_min) ||
	    *(*t)++ != ':' || !read_digits(t, 2, &tm->tm_sec))
		return false;
	if (**t == '.' || **t == ',')
		*t += 1 + strspn(*t + 1, DIGITS);
	*zone = read_zone(t, &tm->tm_gmtoff);
	return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec < 61;
}

/* Seconds since 1970; 0: there is no such time.  A year below 0 is not known. */
static time_t seconds_of(const struct tm *when, bool zoned, struct log_clock *clock)
{
	struct tm tm = { .tm_year = 70 };
	bool yearless = when->tm_year < 0;
	time_t limit = clock->now + SKEW, seconds;

	/* mktime() looks after a file each time */
	if (clock->at && !zoned && when->tm_hour == clock->last.tm_hour &&
	    when->tm_mday == clock->last.tm_mday && when->tm_mon == clock->last.tm_mon &&
	    when->tm_year == clock->last.tm_year)
		return clock->at + (when->tm_min - clock->last.tm_min) * 60 + when->tm_sec -
		       clock->last.tm_sec;
	if (yearless && clock->now)
		localtime_r(&limit, &tm);
	for (int i = 0, year = yearless ? tm.tm_year : when->tm_year; i <= LEAP_SPAN; i++) {
		tm = *when;
		tm.tm_year = year - i;
		tm.tm_isdst = -1;
		seconds = zoned ? timegm(&tm) - when->tm_gmtoff : mktime(&tm);
		/* 30 February has become a day of March */
		if (tm.tm_mon == when->tm_mon && tm.tm_mday == when->tm_mday && seconds > 0 &&
		    (!yearless || !clock->now || seconds <= limit)) {
			clock->last = zoned ? clock->last : *when;
			clock->at = zoned ? clock->at : seconds;
			return seconds;
		}
		if (!yearless || !clock->now)
			break;
	}
	return 0;
}

/* "Mar  3 12:11:38", "Mar  3 12:11:38.5 2026" */
static bool read_month(const char **t, struct tm *tm, enum zone *zone)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	const char *year;

	while (tm->tm_mon < 12 && strncmp(*t, months + (ptrdiff_t)tm->tm_mon * 3, 3))
		tm->tm_mon++;
	if (tm->tm_mon == 12 || (*t)[3] != ' ')
		return false;
	*t += 3 + strspn(*t + 3, " ");
	if (!read_digits(t, 2, &tm->tm_mday) || *(*t)++ != ' ' || !read_clock(t, tm, zone))
		return false;
	year = *t + 1;
	if (**t == ' ' && strspn(year, DIGITS) == 4 && read_digits(&year, 4, &tm->tm_year))
		*t = year;
	tm->tm_year -= 1900;
	return true;
}

/* A time that begins at @t: its end, or NULL; *yearless: it is that of a syslog. */
static const char *read_time(const char *t, struct log_clock *clock, struct log_origin *o,
                             bool *yearless)
{
	struct tm tm = { 0 };
	enum zone zone = ZONE_OURS;
	time_t seconds;

	if (strspn(t, DIGITS) == 4) {
		if (!read_digits(&t, 4, &tm.tm_year) || (*t != '-' && *t != '/') ||
		    !read_digits((t++, &t), 2, &tm.tm_mon) || (*t != '-' && *t != '/') ||
		    !read_digits((t++, &t), 2, &tm.tm_mday) || !*t || !strchr("T _", *t++) ||
		    tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_year < 1970 ||
		    !read_clock(&t, &tm, &zone))
			return NULL;
		tm.tm_year -= 1900;
		tm.tm_mon--;
	} else if (!isupper((unsigned char)*t) || !read_month(&t, &tm, &zone)) {
		return NULL;
	}
	*yearless = tm.tm_year < 0;
	seconds = zone == ZONE_OTHER ? 0 : seconds_of(&tm, zone == ZONE_TOLD, clock);
	if (seconds && (!o->time || (zone == ZONE_TOLD && !o->zoned))) {
		o->time = seconds;
		o->zoned = zone == ZONE_TOLD;
	}
	return t;
}

/* Seconds since 1970 with a fraction, or without in smaller units, as journald and UCX have it. */
static const char *read_epoch(const char *t, const struct log_clock *clock, struct log_origin *o)
{
	size_t n = strspn(t, DIGITS);
	uint64_t value = n > EPOCH_MIN && n < 20 ? strtoull(t, NULL, 10) : 0;

	for (size_t i = n; i > EPOCH_MIN + 1; i--)
		value /= 10;
	if (clock->now && (time_t)value > clock->now + SKEW) /* another number */
		return NULL;
	if (value && (!o->time || !o->zoned)) {
		o->time = (time_t)value;
		o->zoned = true;
	}
	n += t[n] == '.' ? 1 + strspn(t + n + 1, DIGITS) : 0;
	return value ? t + n : NULL;
}

/* ---- prefixes ------------------------------------------------------------------------------- */

/* "rank3": is one of several processes of a host. */
static bool is_rank(const char *t, size_t n)
{
	static const char *const words[] = { "rank", "step", "epoch", "task", "GPU" };
	size_t i = 0, word = strcspn(t, DIGITS);

	while (i < ARRAY_SIZE(words) && (strlen(words[i]) != word || memcmp(t, words[i], word)))
		i++;
	return i < ARRAY_SIZE(words) && word + strspn(t + word, DIGITS) == n;
}

static bool is_host(const char *t, size_t n)
{
	return n && n <= LOG_NAME_MAX && strspn(t, DIGITS ".") < n;
}

/* "node07:5776:5902 [0]", "node07:6807:0:6807]", "node07:6807 :0:6807]", "node07:mpi_rank_3]" */
static const char *read_process(const char *t, struct log_origin *o)
{
	size_t n = log_name_length(t), begin = n + 1, end, i, more;
	bool mpi = t[n] == ':' && !strncmp(t + begin, "mpi_rank_", 9), several = mpi;

	if (!is_host(t, n) || t[n] != ':')
		return NULL;
	begin += mpi ? 9 : 0;
	end = i = begin + strspn(t + begin, DIGITS);
	while (more = i + strspn(t + i, " "),
	       t[more] == ':' && isdigit((unsigned char)t[more + 1])) {
		i = more + 1 + strspn(t + more + 1, DIGITS);
		several = true;
	}
	/* "net.cc:12:13:" is something else */
	if (end == begin || !several || (t[i] != ']' && (t[i] != ' ' || t[more] != '[')))
		return NULL;
	o->host = (struct log_span){ t, n };
	o->process = (struct log_span){ t, end };
	return t + i;
}

/*
 * The host in front of "kernel:", "prog[7]:", which follow the time of a syslog: if there are
 * several, the last, since others passed it on.  "INFO main[7]:" is of no syslog.
 */
static const char *read_syslog_host(const char *t, bool yearless, bool numbered,
                                    struct log_origin *o)
{
	const char *program;
	size_t n, length;

	t += strspn(t, " ");
	n = log_name_length(t);
	if (!is_host(t, n) || t[n] != ' ')
		return t;
	program = t + n + 1;
	length = strcspn(program, " :");
	if (numbered || (length && program[length] == ':' &&
	                 (log_is((struct log_span){ program, length }, "kernel") ||
	                  (yearless && strcspn(t, LOWER DIGITS) < n) ||
	                  (strcspn(t, DIGITS) < n && program[length - 1] == ']'))))
		o->host = (struct log_span){ t, n };
	return t + n;
}

/* "[...]": a time, a process, or something else. */
static const char *read_bracket(const char *t, struct log_clock *clock, struct log_origin *o)
{
	const char *end = t + 1 + strspn(t + 1, " ");
	bool yearless;

	if (isupper((unsigned char)*end) && end[3] == ' ' && !read_time(end, clock, o, &yearless))
		read_time(end + 4, clock, o, &yearless);
	else if (!read_time(end, clock, o, &yearless) && !read_epoch(end, clock, o))
		read_process(end, o);
	end = t + strcspn(t, "]");
	return end + (*end == ']');
}

void log_prefix(const char *line, const char *begins, struct log_clock *clock,
                struct log_origin *origin)
{
	struct log_origin o = *origin;
	bool first = true, numbered = false, yearless;
	const char *end = memrchr(line, '\n', (size_t)(begins - line)); /* in a text of JSON */

	line = end ? end + 1 : line;
	for (const char *t = line; t < begins; first &= t == line) {
		size_t n = strspn(t, " \t");

		t += n;
		n = log_name_length(t);
		if (*t == '<' && isdigit((unsigned char)t[1])) { /* RFC 5424: a version follows */
			t += strcspn(t, "> ") + 1;
			numbered = isdigit((unsigned char)*t) && t[1] == ' ';
			t += numbered;
		} else if (*t == '\\') { /* an escape of JSON that is cut; a colour ends with m */
			end = strncmp(t, "\\u001b", 6) ? t + 1 : strchr(t, 'm');
			t = end ? end + 1 : begins;
		} else if (*t == '[') {
			t = read_bracket(t, clock, &o);
			t += *t == ':';
		} else if ((end = read_time(t, clock, &o, &yearless)) != NULL) {
			t = read_syslog_host(end, yearless, numbered, &o);
		} else if ((end = read_process(t, &o)) != NULL) {
			t = end;
		} else if (n && t[n] == ':' && t[n + 1] == ' ') {
			char name[NODENAME_MAX];
			bool rank = strspn(t, DIGITS) == n || is_rank(t, n);

			snprintf(name, sizeof(name), "%.*s", (int)n, t);
			if (first && !rank && is_host(t, n) && strpbrk(name, DIGITS) &&
			    !is_hca_name(name) && !o.host.n)
				o.host = (struct log_span){ t, n };
			line = rank ? t + n + 1 : line; /* a host may follow */
			t += n + 1;
		} else {
			t += n ? n : *t != '\0';
		}
		if (!*t)
			break;
	}
	*origin = o;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* The first of the keys that is there. */
static const struct json_item *first_of(const struct json_item *object, const char *const *keys)
{
	const struct json_item *item = NULL;

	for (; *keys && !item; keys++)
		item = json_member(object, *keys);
	return item;
}

char *log_unwrap(struct json_reader *json, const char *anchor, char *line, struct log_clock *clock,
                 struct log_origin *origin)
{
	static const char *const times[] = {
		"time", "timestamp", "@timestamp", "ts", "__REALTIME_TIMESTAMP", NULL
	};
	static const char *const hosts[] = { "_HOSTNAME", "hostname",   "host",
		                             "node",      "kubernetes", NULL };
	static const char *const names[] = { "name", "host", NULL };
	char *begins = strchr(line, '{'), *message;
	size_t n = begins ? strlen(begins) : 0, i = 1;
	const struct json_item *object = begins ? json_read(json, begins, n) : NULL, *item;
	bool yearless;

	/* whatever its key, and however deep */
	while (object && i <= object->span &&
	       (object[i].kind != JSON_TEXT || !strstr(object[i].text, anchor)))
		i++;
	if (!object || i > object->span) {
		if (begins)
			json_unread(begins, n);
		return line;
	}
	message = (char *)object[i].text;
	take_escapes_out(message);
	log_prefix(line, begins, clock, origin);
	item = first_of(object, times);
	if (json_is(item, JSON_TEXT) && !read_time(item->text, clock, origin, &yearless))
		read_epoch(item->text, clock, origin);
	else if (json_is(item, JSON_NUMBER) || json_is(item, JSON_REAL_NUMBER)) {
		char number[32];

		snprintf(number, sizeof(number), "%.0f",
		         item->kind == JSON_NUMBER ? (double)item->number : item->real);
		read_epoch(number, clock, origin);
	}
	item = first_of(object, hosts);
	item = json_is(item, JSON_MEMBERS) ? first_of(item, names) : item;
	if (json_is(item, JSON_TEXT) && is_host(item->text, strlen(item->text)))
		origin->host = (struct log_span){ item->text, strlen(item->text) };
	return message;
}
